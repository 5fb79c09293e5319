"""The evaluator of the dense layer on the host, with a stand-in for the device: what it draws, compares and answers."""

import json
import os
import shutil
import sys
import tempfile
import unittest

CAMPAIGN = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(CAMPAIGN), "harness", "tests"))

import support  # noqa: E402

LACKS = support.missing("torch", "tilelang")
DIMS = {"batch": 1, "seq": 70, "top_k": 1, "hidden": 256, "intermediate": 128}
MMA = "tl::mma_sync<tl::DataType::kFloat16, tl::DataType::kFloat16, tl::DataType::kFloat32>();\n"


@unittest.skipIf(LACKS, LACKS)
class OnTheHost(unittest.TestCase):
    def built(self, root, name, **settings):
        """What a build would leave."""
        folder = os.path.join(root, name)
        shutil.copytree(os.path.join(CAMPAIGN, "kernel"), os.path.join(folder, "kernel"), ignore=shutil.ignore_patterns("__pycache__"))
        given = {"path": "mma", "stages": 0, "b_interleave": 0, "pass_config": "", **settings}
        for file, content in (("build.json", {"layer": "dense", "target": "cuda", "settings": given}), ("kernels.json", {"kernels": []})):
            with open(os.path.join(folder, file), "w", encoding="utf-8") as f:
                json.dump(content, f)
        with open(os.path.join(folder, "kernel.cu"), "w", encoding="utf-8") as f:
            f.write(2 * MMA)
        return {"role": "variant", "folder": folder, "artefact": os.path.join(folder, "kernels.json"), "source": CAMPAIGN}

    def stage(self, stage, *settings, **changes):
        workload = {"name": "w", "dtype": "f16", "dims": DIMS, "flops": 2, "bytes": 8192}
        with tempfile.TemporaryDirectory() as root:
            given = [{"id": f"{slot}-x", **self.built(root, slot, **s)} for slot, s in zip("AB", settings)]
            plan = support.plan(stage=stage, workloads=[workload], min_leg_ns=100_000, warmup_ns=100_000, **changes)
            return support.standin(CAMPAIGN, plan, given)

    def test_a_right_kernel_is_checked_and_a_packed_one_says_what_packing_costs(self):
        for settings, costs in (({}, False), ({"b_interleave": 4}, True)):
            done = self.stage("check", settings, order=["A"], load_order="A")
            self.assertEqual(done.code, 0, done.err)
            told = {r["name"]: r["value"] for r in done.kind("resource")}
            self.assertEqual((told["mma_builtins"], told["mma_expected"]), (2, 2))
            self.assertEqual(told["untimed.pack-b_ms"] > 0, costs)
            self.assertEqual(done.kind("check")[0]["max_abs_error"], 0)

    def test_a_wrong_result_and_a_launch_that_fails_are_told_apart(self):
        done = self.stage("check", {"pass_config": "wrong"}, order=["A"], load_order="A")
        self.assertEqual((done.code, done.kind("check")[0]["ok"]), (3, False), done.err)
        self.assertIn("integers: a difference of 1", done.kind("check")[0]["detail"])
        done = self.stage("check", {"pass_config": "refuses"}, order=["A"], load_order="A")
        self.assertEqual(done.code, 2, done.err)
        self.assertIn("more shared memory than a block may have", done.err)

    def test_a_pair_is_timed_and_a_wrong_one_is_not(self):
        for cache in ("hot", "cold"):
            done = self.stage("bench", {}, {"b_interleave": 8}, cache=cache)
            self.assertEqual(done.code, 0, done.err)
            self.assertEqual((len(done.kind("samples")), {a["timer"] for a in done.kind("samples")}), (8, {"device_event_graph"}))
        done = self.stage("bench", {}, {"pass_config": "wrong"})
        self.assertEqual((done.code, done.kind("samples")), (3, []), done.err)

    def test_one_subject_answers_the_runners_requests(self):
        request = {"assay": 1, "request": "leg", "workload": "w", "block": 0, "leg": 0}
        with tempfile.TemporaryDirectory() as root:
            plan = support.plan(workloads=[{"name": "w", "dtype": "f16", "dims": DIMS, "flops": 2, "bytes": 8192}], mode="resident",
                                order=["A"], load_order="A", min_leg_ns=100_000, warmup_ns=100_000)
            done = support.standin(CAMPAIGN, plan, [{"id": "A-x", **self.built(root, "A")}], requests=[request])
        self.assertEqual((done.code, len(done.kind("samples"))), (0, 1), done.err)


if __name__ == "__main__":
    unittest.main()

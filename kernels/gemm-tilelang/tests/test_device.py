"""Every knob and every layer on a device, and the evaluator with right and wrong kernels. Skipped where there is none."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
CAMPAIGN = os.path.dirname(HERE)
HARNESS = os.path.join(os.path.dirname(CAMPAIGN), "harness")
sys.path[:0] = [HERE, os.path.join(HARNESS, "tests")]

from every_setting import WGMMA, WORKERS, check, names  # noqa: E402
from support import missing, plan, run  # noqa: E402

LACKS = missing("torch", "tilelang") or missing("device")


@unittest.skipIf(LACKS, f"kernels are run on a device: {LACKS}")
class Kernels(unittest.TestCase):
    def test_every_setting_is_right(self):
        check(self, names() + WGMMA, [])


SMALL = {"dense": {"batch": 1, "seq": 300, "top_k": 1, "hidden": 512, "intermediate": 256},
         "grouped": {"batch": 1, "seq": 101, "top_k": 3, "hidden": 512, "intermediate": 256, "experts": 6},
         "moe": {"batch": 1, "seq": 101, "top_k": 3, "hidden": 512, "intermediate": 256, "experts": 6}}
FINAL = {"ASSAY_PARAM_B_INTERLEAVE": "4", "ASSAY_PARAM_THREADS": "512", "ASSAY_PARAM_A_WIDTH": "4", "ASSAY_PARAM_PANEL": "2"}

LAUNCH = "return lambda: kernels[\"gemm\"](inputs[\"A\"], packed[0], out)"
# (name, layer, (file, text, text in its place) or none, what the check must say)
SUBJECTS = [
    ("final", "dense", None, ""),
    ("moe", "moe", None, ""),
    ("left-out", "dense", ("layers.py", LAUNCH, "return lambda: (kernels[\"gemm\"](inputs[\"A\"], packed[0], out), out[-1].zero_())"),
     "integers: a difference"),
    ("next-group", "grouped", ("gemm.py", "if tile[1] + i < tile[2]:", "if tile[1] + i < C.shape[0]:"), "integers: a difference"),
    ("changed", "dense", ("layers.py", LAUNCH, "return lambda: (kernels[\"gemm\"](inputs[\"A\"], packed[0], out), inputs[\"A\"].zero_())"),
     "changed its input A"),
    ("vendor", "dense", ("layers.py", LAUNCH, "return lambda: out.copy_(inputs[\"A\"] @ inputs[\"B\"])"), ""),
]


@unittest.skipIf(LACKS, f"the evaluator needs a device: {LACKS}")
class Evaluator(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = tempfile.mkdtemp()
        with ThreadPoolExecutor(WORKERS) as pool:
            list(pool.map(cls.build, SUBJECTS))
        cls.build(("torch", "dense", None, ""), ["--baseline", "torch"])

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.root)

    @classmethod
    def build(cls, row, more=()):
        name, layer, change, _ = row
        folder, out = os.path.join(cls.root, name), os.path.join(cls.root, name + "-out")
        os.makedirs(out)
        shutil.copytree(os.path.join(CAMPAIGN, "kernel"), os.path.join(folder, "kernel"))
        if change:
            path = os.path.join(folder, "kernel", change[0])
            with open(path, encoding="utf-8") as f:
                text = f.read()
            assert change[1] in text, change
            with open(path, "w", encoding="utf-8") as f:
                f.write(text.replace(change[1], change[2]))
        dims = ", ".join(f"{k} = {v}" for k, v in SMALL[layer].items())
        with open(os.path.join(folder, "assay.toml"), "w", encoding="utf-8") as f:
            f.write(f"[[workload]]\nname = \"small\"\ndims = {{ {dims} }}\n")
        command = [sys.executable, os.path.join(CAMPAIGN, "harness", "build.py"), layer, *more]
        done = subprocess.run(command, cwd=folder, env={**os.environ, **FINAL, "ASSAY_BUILD": out}, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-3000:]

    def stage(self, stage, layer, *names, **changes):
        subjects = [{"id": f"{'AB'[i]}-{n}", "role": "variant", "folder": os.path.join(self.root, n + "-out"), "source": "",
                     "artefact": os.path.join(self.root, n + "-out", "kernels.json")} for i, n in enumerate(names)]
        workload = {"name": "small", "dtype": "f16", "dims": SMALL[layer], "flops": None, "bytes": None}
        changes = {"workloads": [workload], "min_leg_ns": 1_000_000, "warmup_ns": 2_000_000, **changes}
        return run([sys.executable, os.path.join(CAMPAIGN, "harness", "evaluate.py")], plan(stage=stage, **changes), subjects)

    def test_right_kernels_pass_and_wrong_ones_do_not(self):
        def check(row):
            return row, self.stage("check", row[1], row[0], order=["A"], load_order="A")

        with ThreadPoolExecutor(WORKERS) as pool:
            results = list(pool.map(check, SUBJECTS))
        for (name, layer, _, words), result in results:
            with self.subTest(name):
                told = result.kind("check")
                self.assertEqual(result.code, 3 if words else 0, result.err[-2000:])
                self.assertIn(words, told[0]["detail"])
                self.assertEqual(told[0]["ok"], not words)
                resources = {r["name"]: r["value"] for r in result.kind("resource")}
                self.assertEqual(resources["mma_builtins"], resources["mma_expected"])
                self.assertGreater(resources["untimed.pack-b_ms"], 0)
                if "vendor_kernels" in resources:
                    self.assertEqual(resources["vendor_kernels"] > 0, name == "vendor")
                self.assertEqual(len(result.kind("loaded")), 1)

    def test_a_pair_is_timed_with_the_state_of_the_device(self):
        for cache in ("hot", "cold"):
            result = self.stage("bench", "dense", "torch", "final", cache=cache)
            self.assertEqual(result.code, 0, result.err[-2000:])
            self.assertEqual({a["timer"] for a in result.kind("samples")}, {"device_event"})
            self.assertEqual(len(result.kind("samples")), 8)

    def test_a_timed_launch_that_is_wrong_ends_with_code_3(self):
        result = self.stage("bench", "dense", "final", "left-out")
        self.assertEqual((result.code, result.kind("samples")), (3, []), result.err[-2000:])


if __name__ == "__main__":
    unittest.main()

"""The GEMM campaign and its history: the files fit together, and the evaluator tells right from wrong."""

import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
CAMPAIGN = os.path.dirname(HERE)
KERNELS = os.path.dirname(CAMPAIGN)
sys.path.insert(0, os.path.join(KERNELS, "harness", "tests"))

from support import plan, run  # noqa: E402

HISTORY = os.path.join(CAMPAIGN, "history")


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as f:
        return f.read()


def history():
    """The variants of history.toml, which keeps to one `key = value` a line so that this suffices."""
    variants = []
    for line in read(HISTORY, "history.toml").splitlines():
        match = re.match(r"(\w+) = (.*)$", line)
        if line == "[[variant]]":
            variants.append({})
        elif match and variants:
            key, value = match.groups()
            variants[-1][key] = value if value.startswith("{") else json.loads(value)
    return variants


class Data(unittest.TestCase):
    def test_every_folder_is_a_variant_and_every_file_is_listed(self):
        variants = history()
        self.assertGreaterEqual(len(variants), 13)
        folders = sorted(d for d in os.listdir(HISTORY) if os.path.isdir(os.path.join(HISTORY, d)))
        self.assertEqual([v["folder"] for v in variants], folders)
        for v in variants:
            self.assertEqual(sorted(os.listdir(os.path.join(HISTORY, v["folder"]))), sorted(v["files"]))
            self.assertEqual(v["folder"].split("-", 1)[1], v["name"])

    def test_parents_come_first_and_only_the_root_has_none(self):
        seen = []
        for v in history():
            self.assertEqual("parent" not in v, not seen, v["name"])
            self.assertIn(v.get("parent", v["name"]), seen + ([v["name"]] if not seen else []))
            self.assertTrue(v["why"] and v["family"])
            for p in v["predictions"]:
                self.assertRegex(p, r"^[\w.]+(<|<=|>|>=)[+-]?\d+%$")
            seen.append(v["name"])

    def test_the_root_is_the_kernel_and_the_baseline(self):
        root = read(HISTORY, "01-naive", "gemm.c")
        self.assertEqual(root, read(CAMPAIGN, "kernel", "gemm.c"))
        code = root[root.index("void gemm"):]
        self.assertTrue(read(CAMPAIGN, "harness", "baselines", "naive.c").endswith(code))


@unittest.skipUnless(shutil.which(os.environ.get("CC", "cc")), "needs a C compiler")
class Evaluator(unittest.TestCase):
    """The campaign alone in a folder, as `assay demo` makes it."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.campaign = os.path.join(cls.folder, "campaign")
        shutil.copytree(CAMPAIGN, cls.campaign, ignore=shutil.ignore_patterns("history", "tests"))
        for header in glob.glob(os.path.join(KERNELS, "harness", "*.h")):
            shutil.copy(header, os.path.join(cls.campaign, "harness"))
        # Compilers are waited for side by side: they are most of what these tests take.
        with ThreadPoolExecutor() as pool:
            names = ("naive", "wrong-tail", "typo", "packed-edge", "renamed")
            cls.built = dict(zip(names, pool.map(cls.build, names)))
        assert cls.built["naive"].returncode == 0, cls.built["naive"].stderr

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @classmethod
    def out(cls, name):
        return os.path.join(cls.folder, name)

    @classmethod
    def build(cls, name, flags=""):
        v = next(v for v in history() if v["name"] == name)
        campaign = os.path.join(cls.folder, f"campaign-{name}")
        if not os.path.exists(campaign):
            shutil.copytree(cls.campaign, campaign, ignore=shutil.ignore_patterns("kernel"))
            shutil.copytree(os.path.join(HISTORY, v["folder"]), os.path.join(campaign, "kernel"))
        os.makedirs(cls.out(name), exist_ok=True)
        env = {**os.environ, "ASSAY_BUILD": cls.out(name), "ASSAY_FLAGS": flags}
        return subprocess.run(["sh", "harness/build.sh"], cwd=campaign, env=env, capture_output=True, text=True)

    def stage(self, stage, names, **changes):
        dims = {"M": 21, "N": 19, "K": 10}
        workloads = [{"name": "w", "dtype": "f32", "dims": dims, "flops": 7980, "bytes": 4000}]
        given = [{"id": n, "role": "variant", "folder": self.out(n), "source": self.campaign,
                  "artefact": os.path.join(self.out(n), "libkernel.so")} for n in names]
        return run(["sh", os.path.join(self.campaign, "harness", "run.sh"), stage],
                   plan(stage=stage, workloads=workloads, **changes), given,
                   environ={"ASSAY_BUILD": self.out(names[0])})

    def test_a_right_kernel_passes_with_resources(self):
        result = self.stage("check", ["naive"], order=["A"], load_order="A")
        self.assertEqual(result.code, 0, result.err)
        self.assertLess(result.kind("check")[0]["max_rel_error"], 2e-6)
        resources = {r["name"]: r["value"] for r in result.kind("resource")}
        if sys.platform == "linux":
            self.assertEqual(resources["threads"], 1)
            self.assertGreater(resources["code_bytes"], 100)

    def test_the_fast_and_wrong_kernel_fails(self):
        self.assertEqual(self.built["wrong-tail"].returncode, 0)
        result = self.stage("check", ["wrong-tail"], order=["A"], load_order="A")
        self.assertEqual(result.code, 3)
        self.assertIn("never written", result.kind("check")[0]["detail"])

    def test_the_broken_kernel_does_not_build(self):
        result = self.built["typo"]
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("bv", result.stderr)

    def test_new_names_give_the_same_machine_code(self):
        for name in ("packed-edge", "renamed"):
            self.assertEqual(self.built[name].returncode, 0)
        with open(os.path.join(self.out("packed-edge"), "libkernel.so"), "rb") as a:
            with open(os.path.join(self.out("renamed"), "libkernel.so"), "rb") as b:
                self.assertEqual(a.read(), b.read())
        result = self.stage("bench", ["naive", "renamed"], cache="rotating")
        self.assertEqual(result.code, 0, result.err)
        self.assertEqual(len(result.kind("samples")), 8)

    def test_flags_that_change_the_arithmetic_are_refused(self):
        for flags, words in [("-O3 -ffast-math", "arithmetic"), ("-Wl,-z,now", "not allowed"), ("-o/x", "not allowed")]:
            result = self.build("naive", flags)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn(words, result.stderr)

    def test_a_profile_needs_no_channel(self):
        result = self.stage("profile", ["naive"], order=["A"])
        self.assertEqual((result.code, [a["kind"] for a in result.answers]), (0, ["done"]), result.err)


if __name__ == "__main__":
    unittest.main()

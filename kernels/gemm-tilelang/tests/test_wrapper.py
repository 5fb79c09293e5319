"""What launches the kernels, as the list of sources tells it: which changes show in it, and which have no part in a launch."""

import os
import shutil
import sys
import tempfile
import unittest

CAMPAIGN = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(CAMPAIGN, "harness"), os.path.join(CAMPAIGN, "kernel")]

import settings  # noqa: E402
import wrapper  # noqa: E402


class Wrapper(unittest.TestCase):
    def changed(self, file, old, new):
        """The wrapper of a kernel folder with one change."""
        with tempfile.TemporaryDirectory() as root:
            folder = os.path.join(root, "kernel")
            shutil.copytree(os.path.join(CAMPAIGN, "kernel"), folder, ignore=shutil.ignore_patterns("__pycache__"))
            path = os.path.join(folder, file)
            with open(path, encoding="utf-8") as f:
                text = f.read()
            self.assertEqual(text.count(old), 1, old)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text.replace(old, new))
            return wrapper.launched(folder, "dense", settings.DEFAULTS)["sha256"]

    def of(self, layer="dense", **given):
        return wrapper.launched(os.path.join(CAMPAIGN, "kernel"), layer, {**settings.DEFAULTS, **given})

    def test_a_knob_without_a_part_in_a_launch_changes_nothing(self):
        for knob in ({"dispatch": "fused"}, {"block_m": 256}, {"stages": 3}):
            self.assertEqual(self.of(**knob), self.of(), knob)
        self.assertNotEqual(self.of(b_interleave=4), self.of())
        self.assertNotEqual(self.of("moe", dispatch="fused"), self.of("moe"))

    def test_what_a_launch_reaches_shows_and_what_it_does_not_reach_does_not(self):
        same = self.of()["sha256"]
        launch = 'return lambda: kernels["gemm"](inputs["A"], packed[0], out)'
        comment = launch + "  # a remark"
        self.assertEqual(self.changed("layers.py", launch, comment), same)
        again = 'return lambda: (kernels["gemm"](inputs["A"], packed[0], out), kernels["gemm"](inputs["A"], packed[0], out))'
        self.assertNotEqual(self.changed("layers.py", launch, again), same)
        self.assertNotEqual(self.changed("layers.py", 'r = complete(given)["b_interleave"]', 'r = complete(given)["threads"]'), same)
        # Programs show in the sources that are generated of them.
        self.assertEqual(self.changed("gemm.py", "if N % bn or K % bk:", "if N % bn:"), same)


if __name__ == "__main__":
    unittest.main()

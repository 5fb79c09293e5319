"""Generated sources run thread by thread on the host, held against the oracle. Needs torch, TileLang and a C++ compiler.

A dozen settings, the widest apart; EMULATE=all takes every one (six minutes on two cores).
"""

import importlib.util
import json
import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(os.path.dirname(HERE)), "lower")]

import emulate  # noqa: E402
from every_setting import check, names  # noqa: E402

FEW = ["default", "final", "b_interleave-2", "b_interleave-16", "b_interleave-4+b_shared-plain", "b_interleave-4+b_vector-False",
       "c_staging-False", "c_swizzle-1024", "stages-3", "policy-FullRow", "block_n-256", "final+layer-grouped", "final+layer-gate-up",
       "dispatch-fused"]


def missing():
    """What is lacking here, or nothing."""
    for name in ("torch", "tilelang"):
        if importlib.util.find_spec(name) is None:
            return f"{name} is not installed"
    return None if emulate.compiler() else "there is no C++ compiler"


LACKS = missing()


@unittest.skipIf(LACKS, f"sources are lowered and run on the host: {LACKS}")
class Emulated(unittest.TestCase):
    def test_settings_are_right(self):
        check(self, names() if os.environ.get("EMULATE") == "all" else FEW, ["--emulate"])

    def test_an_interleaved_tile_that_is_read_by_ldmatrix_is_wrong(self):
        done = subprocess.run([sys.executable, os.path.join(HERE, "worker.py"), "--emulate", "misread"], capture_output=True, text=True)
        wrong = done.returncode == 0 and json.loads(done.stdout.splitlines()[-1])["exact"] > 0
        self.assertTrue(wrong or "not aligned" in done.stderr, (done.stdout, done.stderr[-500:]))


if __name__ == "__main__":
    unittest.main()

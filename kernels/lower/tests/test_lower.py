"""The helper for golden facts, without torch: what counts as moved, and facts as `assay` takes them."""

import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import facts as taken  # noqa: E402
from golden import GoldenFacts, moved  # noqa: E402

GOLDEN = {"settings": [
    {"name": "default", "facts": {"barrier.count": 2, "mma.count": 2, "loop.count": 3}},
    {"name": "a-8", "knob": "a", "of": "default", "value": 8, "facts": {"barrier.count": 2, "mma.count": 2, "loop.count": 9}},
    {"name": "b-1", "knob": "b", "of": "default", "value": 1, "facts": {"barrier.count": 3, "loop.count": 3}},
    {"name": "b-2", "knob": "b", "of": "default", "value": 2, "refused": "too large"},
]}


class Moved(unittest.TestCase):
    def test_only_facts_that_tell_count(self):
        self.assertEqual(moved(GOLDEN, "a"), [("a-8", [])])

    def test_a_fact_that_is_absent_is_zero_here_and_a_refused_setting_is_left_out(self):
        self.assertEqual(moved(GOLDEN, "b"), [("b-1", ["barrier.count", "mma.count"])])

    def test_a_knob_that_moves_nothing_is_found(self):
        class Case(GoldenFacts, unittest.TestCase):
            knobs = ("a", "b")

        import golden

        keep = golden.load
        golden.load = lambda campaign: GOLDEN
        try:
            with self.assertRaises(AssertionError):
                Case("test_every_knob_moves_a_fact_that_tells").test_every_knob_moves_a_fact_that_tells()
        finally:
            golden.load = keep


KERNEL = """extern "C" __global__ void __launch_bounds__(%d, 1) k(const float* __restrict__ a, float* b) {
  __syncthreads();
  *(float4*)(b + threadIdx.x * 4) = *(float4*)(a + threadIdx.x * 4);
}
"""


class Facts(unittest.TestCase):
    def test_facts_are_those_of_assay_and_equal_sources_are_taken_once(self):
        try:
            assay = taken.find_assay()
        except taken.NoAssay as e:
            self.skipTest(str(e))
        got = taken.facts({"one": KERNEL % 128, "two": KERNEL % 256, "again": KERNEL % 128}, assay)
        self.assertEqual(got["one"], got["again"])
        self.assertEqual([got[n]["facts"]["launch.threads"] for n in ("one", "two")], [128, 256])
        self.assertEqual(got["one"]["facts"]["barrier.count"], 1)
        self.assertNotIn("mma.count", got["one"]["facts"])
        self.assertNotEqual(got["one"]["normalised_sha256"], got["two"]["normalised_sha256"])


if __name__ == "__main__":
    unittest.main()

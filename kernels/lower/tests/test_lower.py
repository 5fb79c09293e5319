"""The helper for golden facts, without torch: what counts as moved, and facts as `assay` takes them."""

import contextlib
import io
import os
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import facts as taken  # noqa: E402
import lower  # noqa: E402
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


class Differences(unittest.TestCase):
    def golden(self, *rows, **head):
        return {"schema": "assay.golden/1", "tilelang": "1", "settings": list(rows), **head}

    def test_each_value_that_differs_is_told_with_its_setting_and_both_sides(self):
        stored = self.golden({"name": "a", "sha256": "x", "facts": {"mma.count": 2, "gone": 1}}, {"name": "b"})
        now = self.golden({"name": "a", "sha256": "x", "facts": {"mma.count": 3}, "launch": {"grid.blocks": 4}},
                          {"name": "c"}, tilelang="2")
        self.assertEqual(lower.differences(stored, now), [
            ("(all)", "tilelang", '"1"', '"2"'),
            ("a", "facts.mma.count", "2", "3"),
            ("a", "facts.gone", "1", "nothing"),
            ("a", "launch.grid.blocks", "nothing", "4"),
            ("b", "setting", "there", "nothing"),
            ("c", "setting", "nothing", "there"),
        ])
        self.assertEqual(lower.differences(stored, stored), [])
        turned = {**stored, "settings": stored["settings"][::-1]}
        self.assertEqual(lower.differences(stored, turned), [("(all)", "order of settings", "a, b", "b, a")])

    def test_the_first_20_are_told_and_the_rest_is_counted(self):
        lines = lower.told([("s", str(i), "1", "2") for i in range(23)])
        self.assertEqual((len(lines), lines[0], lines[-1]), (21, "  s: 0: stored 1, now 2", "  and 3 more"))

    def test_a_check_says_what_differs_and_fails(self):
        stored = self.golden({"name": "a", "facts": {}})
        now = self.golden({"name": "a", "facts": {}, "launch": {"grid.blocks": 4}})
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "facts.json")
            for kept, good, words in [
                (lower.write(now), True, "as lowered"),
                (lower.write(stored), False, "a: launch.grid.blocks: stored nothing, now 4"),
                (lower.write(now).replace("\n", " "), False, "the same facts, written otherwise"),
                ("{", False, "cannot be compared"),
            ]:
                with open(path, "w", encoding="utf-8") as f:
                    f.write(kept)
                said = io.StringIO()
                with contextlib.redirect_stdout(said):
                    self.assertEqual(lower.check(path, now, lower.write(now)), good)
                self.assertIn(words, said.getvalue())


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

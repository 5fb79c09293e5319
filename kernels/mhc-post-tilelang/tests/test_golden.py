"""Facts of the generated sources: no torch and no device are needed."""

import os
import sys
import unittest

CAMPAIGN = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(CAMPAIGN), "harness", "tests"))

import support  # noqa: E402

KERNELS = support.paths(CAMPAIGN)

if os.path.isdir(os.path.join(KERNELS, "lower")):
    from golden import GoldenFacts, load
else:
    raise unittest.SkipTest("needs kernels/lower of the Assay repository")


class Golden(GoldenFacts, unittest.TestCase):
    campaign = CAMPAIGN
    knobs = ("block_b", "block_c", "threads", "mapping", "tail")

    def facts(self, name):
        return next(row["facts"] for row in load(CAMPAIGN)["settings"] if row["name"] == name)

    def test_nothing_is_staged_that_is_used_once(self):
        before, after = self.facts("n4-unoptimized"), self.facts("n4")
        self.assertEqual((before["barrier.count"], after["barrier.count"]), (2, 1))
        self.assertGreater(before["store.shared.count"], after["store.shared.count"])

    def test_whole_tiles_are_read_and_written_16_bytes_at_a_time_and_tails_one_element(self):
        for name in ("n4", "any"):
            self.assertEqual((self.facts(name)["load.global.width_bits"], self.facts(name)["store.global.width_bits"]), (128, 128))
        for name in ("tail-129-n4", "tail-129-any"):
            self.assertEqual(self.facts(name)["store.global.width_bits"], 16)


if __name__ == "__main__":
    unittest.main()

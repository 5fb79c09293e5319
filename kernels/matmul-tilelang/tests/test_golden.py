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
    knobs = ("block_m", "block_n", "block_k", "num_stages", "threads", "rasterize", "sparse", "e_dtype", "alignment")

    def facts(self, name):
        return next(row["facts"] for row in load(CAMPAIGN)["settings"] if row["name"] == name)

    def test_a_tile_is_multiplied_by_as_many_instructions_as_it_needs(self):
        self.assertEqual([self.facts(name)["mma.unrolled"] for name in ("dense-block_m-64", "dense", "dense-block_m-256")], [4, 8, 16])
        for name, shape in (("dense-block_n-64", "m64n64k16"), ("dense", "m64n128k16"), ("dense-block_n-256", "m64n256k16")):
            self.assertIn(f"mma.wgmma_ss.{shape}", self.facts(name))

    def test_sparse_products_are_counted_and_named_as_such(self):
        for name in ("sparse", "sparse-num_stages-0"):
            facts = self.facts(name)
            self.assertGreater(facts["mma.count"], 0)
            self.assertEqual(facts["mma.sparse"], facts["mma.count"])
            self.assertEqual(facts["mma.wgmma_sp_ss"], facts["mma.count"])
        self.assertNotIn("mma.sparse", self.facts("dense"))

    def test_stages_make_barriers_in_memory_and_none_makes_the_copy_engine_idle(self):
        found = [self.facts(name).get("mbarrier.init", 0) for name in
                 ("dense-num_stages-0", "dense-num_stages-1", "dense", "dense-num_stages-3")]
        self.assertEqual(found, [0, 2, 4, 6])
        self.assertEqual([self.facts(name).get("tma.load", 0) for name in ("dense-num_stages-0", "dense")], [0, 2])

    def test_a_producer_has_threads_of_its_own(self):
        self.assertEqual([self.facts(name)["launch.threads"] for name in ("dense-num_stages-0", "dense", "dense-threads-256")],
                         [128, 256, 384])

    def test_metadata_of_32_bits_is_refused_for_fp16(self):
        row = next(row for row in load(CAMPAIGN)["settings"] if row["name"] == "sparse-e_dtype-int32")
        self.assertIn("e_dtype 32bit", row["refused"])


if __name__ == "__main__":
    unittest.main()

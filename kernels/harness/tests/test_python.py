"""The Python helper, alone and through a small evaluator in a process of its own."""

import hashlib
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.dirname(HERE))

import assay_harness  # noqa: E402
from support import plan, run, subjects  # noqa: E402

EVALUATOR = [sys.executable, "-S", os.path.join(HERE, "evaluator.py")]


class Pieces(unittest.TestCase):
    def test_splitmix64_agrees_with_its_published_first_value(self):
        self.assertEqual(assay_harness.Random(0).next(), 0xE220A8397B1DCDAF)
        self.assertEqual(assay_harness.Random(1).next(), 10451216379200822465)

    def test_inputs_are_in_range_and_never_zero(self):
        random = assay_harness.Random(9)
        values = [random.uniform() for _ in range(1000)]
        self.assertTrue(all(-1 < v < 1 and v != 0 for v in values))
        self.assertLess(abs(sum(values) / 1000), 0.1)

    def test_poison_is_not_a_number(self):
        self.assertNotEqual(assay_harness.POISON_F32, assay_harness.POISON_F32)

    def test_leg_length_is_met_by_batches_times_launches(self):
        for per_launch, batches, launches in [(1e3, 4, 2500), (4e6, 3, 1), (5e7, 1, 1)]:
            rate = assay_harness._Rate(per_launch, 1e7, cold=False)
            self.assertEqual((rate.batches, rate.launches), (batches, launches))


class Fresh(unittest.TestCase):
    """Who is accused of remembering results, by pairs of times."""

    def pairs(self, times, most=200):
        pairs, given = assay_harness.Pairs(5e3), iter(times)
        while pairs.wanted(most):
            pairs.add(*next(given))
        return pairs

    def test_who_remembers_in_every_repeated_launch_is_accused(self):
        pairs = self.pairs([(1e6, 1e4)] * 20)
        self.assertTrue(pairs.accuses())
        self.assertLess(pairs.count, 12)
        self.assertIn("1000 us, a repeated one 10 us", str(pairs))

    def test_slow_machines_accuse_nobody_as_long_as_the_best_of_both_sides_do_not(self):
        busy = [(9e6, 1e6)] * 6 + [(1.4e6, 5e6)] + [(9e6, 1e6)] * 30
        self.assertFalse(self.pairs(busy).suspicious())

    def test_pairs_that_disagree_settle_nothing(self):
        pairs = self.pairs([(9e6, 1e6), (9e6, 2e7)] * 100)
        self.assertEqual((pairs.suspicious(), pairs.accuses(), pairs.count), (True, False, 200))

    def test_who_works_now_and_then_is_accused_all_the_same(self):
        honest_at_times = ([(1e6, 1e4)] * 8 + [(1e6, 1e6)]) * 22
        self.assertTrue(self.pairs(honest_at_times).accuses())


class Evaluator(unittest.TestCase):
    def test_pair_mode_follows_the_plan(self):
        result = run(EVALUATOR, plan(), subjects("x", "y"))
        self.assertEqual(result.code, 0, result.err)
        legs = "".join(a["subject"][0] for a in result.kind("samples"))
        self.assertEqual(legs, "ABBABAAB")
        for a in result.kind("samples"):
            self.assertGreaterEqual(sum(a["values"]) * a["launches"] / len(a["values"]), 200_000)
        self.assertEqual(result.answers[-1]["kind"], "done")

    def test_legs_carry_the_clock_and_blocks_are_followed_by_the_state_where_it_is_known(self):
        result = run(EVALUATOR, plan(block=4), subjects("clocked", "clocked"))
        self.assertEqual(result.code, 0, result.err)
        kinds = "".join(a["kind"][0] for a in result.answers)
        self.assertEqual(kinds, "sssscsssscd")
        self.assertEqual({a["clock_mhz"] for a in result.kind("samples")}, {1755.0})
        state = result.kind("conditions")
        self.assertEqual([(a["workload"], a["process"], a["block"]) for a in state], [("small", 3, 4), ("small", 3, 5)])
        self.assertEqual((state[0]["sm_mhz"], state[0]["reasons"], state[0]["source"]), (1755.0, ["power-cap"], "nvml"))
        plain = run(EVALUATOR, plan(), subjects("x", "y"))
        self.assertFalse(plain.kind("conditions") or any("clock_mhz" in a for a in plain.answers))

    def test_a_wrong_result_takes_the_states_of_its_legs_along(self):
        result = run(EVALUATOR, plan(), subjects("clocked", "silent"))
        self.assertEqual((result.code, result.kind("samples"), result.kind("conditions")), (3, [], []))

    def test_check_answers_resources_and_notes(self):
        result = run(EVALUATOR, plan(stage="check", order=["A"]), subjects("x"))
        self.assertEqual(result.code, 0, result.err)
        self.assertEqual(result.kind("check")[0]["max_abs_error"], 0.0)
        self.assertEqual(result.kind("resource")[0]["value"], 32)
        step = result.kind("resource")[1]
        self.assertEqual((step["name"], step["unit"]), ("untimed.pack-b_ms", "ms"))
        self.assertTrue(0 < step["value"] < 1000)
        self.assertEqual(result.kind("note")[0]["text"], "first loaded: A-x")

    def test_a_nan_is_null_and_wrong(self):
        result = run(EVALUATOR, plan(stage="check", order=["A"], load_order="A"), subjects("nan"))
        self.assertEqual(result.code, 3)
        check = result.kind("check")[0]
        self.assertEqual((check["max_abs_error"], check["ok"]), (None, False))
        self.assertIn("nan", check["detail"])

    def test_a_wrong_timed_launch_gives_no_latency(self):
        result = run(EVALUATOR, plan(), subjects("x", "silent"))
        self.assertEqual(result.code, 3)
        self.assertEqual(result.kind("samples"), [])
        self.assertEqual([c["subject"] for c in result.kind("check")], ["B-silent"])

    def test_tampering_has_its_own_code_and_no_latency(self):
        for name, words in [("patches", "clock_gettime_ns was replaced"), ("spawns", "threads behind")]:
            result = run(EVALUATOR, plan(min_leg_ns=5_000_000), subjects("x", name))
            self.assertEqual((result.code, result.kind("samples")), (4, []), result.err)
            self.assertIn(words, result.err)

    def test_remembered_answers_are_told_by_new_inputs(self):
        result = run(EVALUATOR, plan(), subjects("x", "lazy"))
        self.assertEqual((result.code, result.kind("samples")), (4, []), result.err)
        self.assertEqual([s["subject"] for s in result.kind("suspect")], ["B-lazy"])
        self.assertIn("reuse earlier results", result.kind("suspect")[0]["detail"])

    def test_what_was_loaded_is_said_by_its_content(self):
        result = run(EVALUATOR, plan(stage="check", order=["A"]), subjects("says"))
        with open(EVALUATOR[-1], "rb") as f:
            expected = hashlib.sha256(f.read()).hexdigest()
        self.assertEqual([(a["subject"], a["sha256"]) for a in result.kind("loaded")], [("A-says", expected)])

    def test_a_launch_failure_has_its_own_code(self):
        result = run(EVALUATOR, plan(), subjects("x", "unloadable"))
        self.assertEqual(result.code, 2)
        self.assertIn("cannot load", result.err)

    def test_resident_mode_answers_one_line_for_each_request(self):
        places = [(2, 0), (0, 1), (0, 2)]
        legs = [{"assay": 1, "request": "leg", "workload": "small", "block": b, "leg": l} for b, l in places]
        legs[0]["warm"] = True
        result = run(EVALUATOR, plan(mode="resident", order=["A"], load_order="A"), subjects("x"),
                     requests=legs + [{"assay": 1, "request": "end"}])
        self.assertEqual(result.code, 0, result.err)
        self.assertEqual([(a["block"], a["leg"]) for a in result.kind("samples")], places)
        self.assertEqual(result.answers[-1]["kind"], "done")

    def test_a_request_that_makes_no_sense_is_refused(self):
        requests = [{"request": "leg", "workload": "other"}]
        result = run(EVALUATOR, plan(mode="resident"), subjects("x"), requests=requests)
        self.assertEqual(result.code, 1)
        self.assertIn("cannot be followed", result.err)

    def test_what_cannot_be_done_is_said(self):
        for changes, words in [({"cache": "cold"}, "flush"), ({"order": ["AC"]}, "not given"),
                               ({"assay": 9}, "protocol 1"), ({"workloads": []}, "no workload")]:
            result = run(EVALUATOR, plan(**changes), subjects("x", "y"))
            self.assertEqual(result.code, 1)
            self.assertIn(words, result.err)


if __name__ == "__main__":
    unittest.main()

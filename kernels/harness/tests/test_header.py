"""The C helper, driven through a tiny evaluator (probe.c) the way the runner drives it."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from support import plan, run, subjects  # noqa: E402

CC = os.environ.get("CC") or shutil.which("cc")


def compile_probe(out, *flags):
    warnings = ["-Wall", "-Wextra", "-Werror"]
    command = [CC, "-O1", *warnings, *flags, os.path.join(HERE, "probe.c"), "-o", out, "-ldl", "-lm"]
    subprocess.run(command, check=True, capture_output=True)


@unittest.skipUnless(CC, "needs a C compiler")
class Header(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.probe = os.path.join(cls.folder, "probe")
        compile_probe(cls.probe, "-std=c99")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def bench(self, *names, **changes):
        return run([self.probe], plan(**changes), subjects(*names))

    def check(self, name):
        return run([self.probe], plan(stage="check", order=["A"], blocks=1), subjects(name))

    def test_legs_come_in_the_plans_order(self):
        result = self.bench("honest", "honest-too")
        self.assertEqual(result.code, 0, result.err)
        legs = [(a["subject"][0], a["block"], a["leg"]) for a in result.kind("samples")]
        self.assertEqual(legs, [("A", 0, 0), ("B", 0, 1), ("B", 0, 2), ("A", 0, 3),
                                ("B", 1, 0), ("A", 1, 1), ("A", 1, 2), ("B", 1, 3)])
        self.assertEqual(result.answers[-1]["kind"], "done")

    def test_a_leg_is_long_enough_and_has_several_batches(self):
        for sample in self.bench("honest", "honest-too").kind("samples"):
            per_batch = sample["launches"] / len(sample["values"])
            self.assertGreaterEqual(sum(sample["values"]) * per_batch, 200_000)
            self.assertGreaterEqual(len(sample["values"]), 2)
            self.assertEqual((sample["unit"], sample["process"], sample["cache"]), ("ns", 3, "hot"))
            self.assertTrue(sample["timer"].startswith("clock_monotonic"))
            self.assertGreaterEqual(sample["tick"], 1)

    def test_a_device_times_its_windows_itself_and_tells_its_clock(self):
        result = self.bench("clocked", "clocked-too", block=4)
        self.assertEqual(result.code, 0, result.err)
        kinds = "".join(a["kind"][0] for a in result.answers)
        self.assertEqual(kinds, "ssssnssssnd")
        self.assertEqual([a["text"] for a in result.kind("note")], ["small, block 4", "small, block 5"])
        for sample in result.kind("samples"):
            self.assertEqual((sample["timer"], sample["clock_mhz"]), ("stand_in", 1755.5))
            self.assertAlmostEqual(sample["tick"] * sample["launches"] / len(sample["values"]), 500, delta=1e-6)
            self.assertGreaterEqual(sum(sample["values"]) * sample["launches"] / len(sample["values"]), 200_000)
        unknown = self.bench("clocked", "clocked-unknown")
        self.assertFalse(any("clock_mhz" in a for a in unknown.answers))
        self.assertEqual(self.bench("clocked-half", "x").code, 1)

    def test_one_subject_in_invocation_mode_keeps_its_place(self):
        result = self.bench("honest", mode="invocation", blocks=1, order=["A"], block=4, leg=2)
        self.assertEqual([(a["block"], a["leg"]) for a in result.kind("samples")], [(4, 2)])

    def test_wrong_outputs_of_timed_launches_end_with_code_3_and_no_latency(self):
        for name, words in [("partial", "never written"), ("silent", "never written"), ("infinite", "not finite"),
                            ("mutates", "changed its inputs")]:
            with self.subTest(name):
                result = self.bench("honest", name)
                self.assertEqual(result.code, 3, result.err)
                self.assertEqual(result.kind("samples"), [])
                checks = result.kind("check")
                self.assertEqual([(c["subject"], c["ok"]) for c in checks], [(f"B-{name}", False)])
                self.assertIn(words, checks[0]["detail"])

    def test_remembered_results_are_a_suspicion_of_one_subject_and_give_no_latency(self):
        # Warmed up for longer than its first launch takes, so that its legs repeat launches at all.
        result = self.bench("honest", "lazy", warmup_ns=10_000_000)
        self.assertEqual((result.code, result.kind("samples"), result.kind("check")), (4, [], []), result.err)
        suspect = result.kind("suspect")
        self.assertEqual([(s["subject"], s["workload"]) for s in suspect], [("B-lazy", "small")])
        self.assertIn("reuse earlier results", suspect[0]["detail"])
        self.assertEqual([s["subject"] for s in self.bench("lazy", "honest", warmup_ns=10_000_000).kind("suspect")], ["A-lazy"])

    def test_a_step_that_is_not_timed_is_measured(self):
        step = self.check("honest").kind("resource")[0]
        self.assertEqual((step["name"], step["unit"]), ("untimed.pack-b_ms", "ms"))
        self.assertTrue(0 < step["value"] < 1000)

    def test_check_answers_are_finite_or_null(self):
        good = self.check("honest").kind("check")[0]
        self.assertTrue(good["ok"])
        self.assertEqual(good["max_abs_error"], 0)
        for name in ("infinite", "partial"):
            bad = self.check(name)
            self.assertEqual(bad.code, 3)
            self.assertIsNone(bad.kind("check")[0]["max_abs_error"])
            self.assertFalse(bad.kind("check")[0]["ok"])

    def test_a_crash_names_the_subject_and_keeps_the_signal(self):
        result = self.check("crash")
        self.assertLess(result.code, 0)
        self.assertIn("while running A-crash", result.err)

    def test_the_channel_is_gone_from_the_environment(self):
        first, second, third = run([self.probe, "describe"], plan(), subjects("x\u00e9\U0001f600")).out.splitlines()
        self.assertEqual(first, "A-x\u00e9\U0001f600|small|18446744073709551615|2|ABBA|3|20000")
        self.assertEqual(second, "")
        self.assertEqual(int(third), 10451216379200822465)

    def test_a_missing_artefact_is_a_launch_failure(self):
        result = run([self.probe, "load"], plan(), subjects("gone"))
        self.assertEqual(result.code, 2)
        self.assertIn("cannot load A-gone", result.err)

    def test_bad_plans_are_refused_with_a_reason(self):
        deep = '{"assay":1,"x":' + "[" * 50 + "]" * 50 + "}"
        for text, words in [("{", "malformed"), ("[]", "malformed"), (deep, "nested too deeply"),
                            ('{"assay":2}', "protocol 1"), ('{"assay":1}', "no workload"),
                            ('{"assay":1,"seed":1.5}', "whole number"),
                            ('{"assay":1,"blocks":100000}', "too many blocks"),
                            ('{"assay":1,"mode":"' + "m" * 99 + '"}', "too long")]:
            with self.subTest(words):
                result = run([self.probe], text, subjects("honest"))
                self.assertEqual(result.code, 1)
                self.assertIn(words, result.err)

    def test_what_the_helper_cannot_do_is_refused(self):
        for changes, words in [({"mode": "resident"}, "mode `resident`"), ({"cache": "cold"}, "flush"),
                               ({"cache": "rotating"}, "3 buffer sets"), ({"order": ["ABC"]}, "not given")]:
            result = self.bench("honest", "honest-too", **changes)
            self.assertEqual(result.code, 1)
            self.assertIn(words, result.err)

    def test_no_channel_is_an_error(self):
        result = run([self.probe], plan(), subjects("honest"), environ={"ASSAY_FD": None})
        self.assertEqual(result.code, 1)
        self.assertIn("assay run", result.err)

    @unittest.skipUnless(shutil.which("c++"), "needs a C++ compiler")
    def test_the_header_is_also_cpp(self):
        source = os.path.join(self.folder, "user.cpp")
        with open(source, "w") as f:
            f.write('#include "assay_bench.h"\nint main() { assay_ctx *c = assay_open(); assay_case k; '
                    "memset(&k, 0, sizeof k); assay_measure(c, c->plan.workload, &k); return assay_close(c); }\n")
        subprocess.run(["c++", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I", os.path.dirname(HERE), source],
                       check=True, capture_output=True)


if __name__ == "__main__":
    unittest.main()

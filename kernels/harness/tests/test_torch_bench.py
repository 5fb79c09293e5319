"""Evaluators on the torch helper, whole: on the host with a stand-in for the device where torch is, and on a device."""

import importlib.util
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

import support  # noqa: E402

TORCH = importlib.util.find_spec("torch") is not None
if TORCH:
    import torch
DEVICE = TORCH and torch.cuda.is_available()
EVALUATOR = os.path.join(HERE, "torch_evaluator.py")
SMALL = {"name": "small", "dtype": "f32", "dims": {"M": 3}, "flops": 3072, "bytes": 24576}
# So much that the device takes longer than the host: only then can another stream hide anything.
HUGE = {"name": "huge", "dtype": "f32", "dims": {"M": 1 << 16}, "flops": 1 << 26, "bytes": 1 << 29}
LARGE = {"name": "large", "dtype": "f32", "dims": {"M": 48}, "flops": 49152, "bytes": 393216}


class Bench:
    """What holds on a device and on the stand-in."""

    COMMAND = [sys.executable, EVALUATOR]

    def bench(self, *names, timer="event", instead=None, workloads=(SMALL, LARGE), **changes):
        requests = changes.pop("requests", None)
        plan = support.plan(workloads=list(workloads), **changes)
        return support.run(self.COMMAND, plan, support.subjects(*names), requests=requests,
                           environ={"TIMER": timer, "INSTEAD": instead})

    def test_a_pair_is_timed_in_every_state_of_the_caches(self):
        for cache in ("hot", "cold", "rotating"):
            done = self.bench("x", "y", cache=cache)
            self.assertEqual(done.code, 0, done.err)
            samples = done.kind("samples")
            self.assertEqual([(a["workload"], a["block"], a["leg"]) for a in samples],
                             [(w, b, leg) for w in ("small", "large") for b in (0, 1) for leg in range(4)])
            self.assertEqual({(a["timer"], a["cache"]) for a in samples}, {("device_event", cache)})
            self.assertTrue(all(0 < a["tick"] <= 500 for a in samples))
            if cache == "cold":
                self.assertTrue(all(a["launches"] == len(a["values"]) for a in samples))

    def test_resident_answers_each_request_and_workloads_follow_each_other(self):
        asked = [{"assay": 1, "request": "leg", "workload": w, "block": b, "leg": leg, **({"warm": True} if b == 2 else {})}
                 for w in ("small", "large") for b, leg in ((2, 0), (0, 0), (0, 1), (1, 0))]
        done = self.bench("x", mode="resident", order=["A"], load_order="A", requests=[*asked, {"assay": 1, "request": "end"}])
        self.assertEqual(done.code, 0, done.err)
        self.assertEqual([(a["workload"], a["block"], a["leg"]) for a in done.kind("samples")],
                         [(r["workload"], r["block"], r["leg"]) for r in asked])

    def test_a_timed_launch_that_does_nothing_or_too_much_ends_with_code_3(self):
        for name, words in (("idle", "not twice the input"), ("beyond", "past the end")):
            done = self.bench("x", name)
            self.assertEqual((done.code, done.kind("samples")), (3, []), done.err)
            self.assertIn(words, done.err)
        done = self.bench("idle", mode="resident", order=["A"], load_order="A",
                          requests=[{"assay": 1, "request": "leg", "workload": "small", "block": 0, "leg": 0}])
        self.assertEqual((done.code, done.kind("samples")), (3, []), done.err)


@unittest.skipUnless(TORCH, "needs torch")
class OnTheHost(Bench, unittest.TestCase):
    COMMAND = [sys.executable, os.path.join(HERE, "standin.py"), EVALUATOR]

    def test_the_timer_that_was_taken_instead_is_the_one_in_the_answers(self):
        done = self.bench("x", "y", timer="cupti")
        self.assertEqual((done.code, done.answers), (1, []), done.err)
        self.assertIn("none is taken in its place", done.err)
        done = self.bench("x", "y", timer="cupti", instead="graph")
        self.assertEqual(done.code, 0, done.err)
        self.assertEqual({a["timer"] for a in done.kind("samples")}, {"device_event_graph"})
        self.assertTrue(any("cupti was asked for" in a["text"] for a in done.kind("note")), done.answers)


@unittest.skipUnless(DEVICE, "needs torch and a device")
class OnADevice(Bench, unittest.TestCase):
    def test_a_side_stream_is_told_whatever_the_caches(self):
        for cache in ("hot", "cold"):
            done = self.bench("x", "side", cache=cache, workloads=[HUGE])
            self.assertEqual(done.code, 4, done.err)
            self.assertIn("a stream that the events do not see", done.err)

    def test_recorded_launches_and_tracing_time_a_pair(self):
        for timer, name in (("graph", "device_event_graph"), ("cupti", "cupti_kernel")):
            done = self.bench("x", "y", timer=timer, cache="rotating")
            self.assertEqual(done.code, 0, done.err)
            self.assertEqual({a["timer"] for a in done.kind("samples")}, {name})


if __name__ == "__main__":
    unittest.main()

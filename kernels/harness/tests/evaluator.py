"""A small evaluator on the Python helper, for its tests: what it does depends on the ids of its subjects."""

import os
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from assay_harness import Harness, LaunchFailure, Timer, main  # noqa: E402


class Clocked(Timer):
    """A stand-in for the timer of a device that tells its state."""

    def clock_mhz(self):
        return 1755.0

    def conditions(self):
        return {"sm_mhz": 1755.0, "power_w": 698.25, "reasons": ["power-cap"], "source": "nvml"}


class Task:
    """out = 2 * in on lists, with a new input before each batch."""

    def __init__(self, h: Harness) -> None:
        self.random = h.random("inputs", 1)
        self.data, self.out = [0.0], None

    def prepare(self, subject):
        self.data = [self.random.uniform() for _ in range(8)]
        self.out = None

    def launch(self, subject):
        remembered = {}

        def run():
            if "patches" in subject:
                time.clock_gettime_ns = lambda clock: 1
            if "spawns" in subject:
                for _ in range(8):
                    threading.Thread(target=threading.Event().wait, daemon=True).start()
            if "lazy" in subject:
                key = tuple(self.data)
                if key not in remembered:
                    remembered[key] = [2 * x for x in self.data * 400][:8]
                self.out = remembered[key]
                return
            if "silent" not in subject:
                self.out = [2 * x for x in self.data]
        return run

    def verify(self, subject):
        return self.out == [2 * x for x in self.data] or "the output is not twice the input"


def evaluate(h: Harness) -> None:
    if any(name.startswith("ASSAY_") and name != "ASSAY_PAD" for name in os.environ):
        raise RuntimeError("the channel is visible")
    first = h.load_order()[0].id
    if "unloadable" in first:
        raise LaunchFailure(f"cannot load {first}")
    task = Task(h)
    if h.stage == "check" and "says" in first:
        h.loaded(h.subjects[0], __file__)
    if h.mode == "resident":
        h.serve(lambda w, s: task.launch(s.id), prepare=task.prepare, verify=task.verify)
        return
    for w in h.workloads:
        if h.stage == "check":
            for s in h.subjects:
                error = float("nan") if "nan" in s.id else 0.0
                h.check(w, s, ok=True, max_abs_error=error)
            h.resource("registers", 32, "1")
            assert h.untimed("pack-b", lambda: sum(range(1000))) == 499500
            h.note(f"first loaded: {first}")
        else:
            timer = Clocked() if "clocked" in first else None
            h.measure(w, {s.id: task.launch(s.id) for s in h.subjects}, prepare=task.prepare, verify=task.verify,
                      timer=timer)


main(evaluate)

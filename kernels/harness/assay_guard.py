"""The clock, what code under test must leave alone, and inputs that it cannot know; part of assay_harness.py."""

from __future__ import annotations

import hashlib
import math
import os
import resource
import threading
import time
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

# Threads that frameworks start for themselves; a thread for each launch is soon beyond them.
ALLOWED_THREADS = 32
MASK = (1 << 64) - 1


class Tampered(Exception):
    """Code under test changed what it is measured with (exit code 4)."""


class Suspected(Tampered):
    """Times say that a subject seems not to do its work; no result was wrong."""


class Random:
    """splitmix64 (Steele, Lea and Flood 2014): the same stream as the C helper for the same state."""

    def __init__(self, state: int) -> None:
        self.state = state & MASK

    def next(self) -> int:
        """The next 64 random bits."""
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def uniform(self) -> float:
        """A number in (-1, 1) with 23 random bits, never zero."""
        r = self.next()
        value = ((r >> 41) + 1) / 8388609.0
        return value if r & 1 else -value


class Timer:
    """Host clock. A device timer is a subclass with its own `name`, `tick_ns` and `time`.

    The name goes into every answer and is part of what makes two measurements comparable. A timer
    that is not available must raise: falling back to another one silently is not allowed.
    """

    # Bound here, before any code under test is imported: what it puts into `time` later changes nothing.
    now = staticmethod(time.clock_gettime_ns)

    def __init__(self) -> None:
        if hasattr(time, "CLOCK_MONOTONIC_RAW"):
            self.clock, self.name = time.CLOCK_MONOTONIC_RAW, "clock_monotonic_raw"
        else:
            self.clock, self.name = time.CLOCK_MONOTONIC, "clock_monotonic"
        self.tick_ns = max(1, round(time.clock_getres(self.clock) * 1e9))

    def overhead(self, sync: Optional[Callable[[], Any]]) -> float:
        """Nanoseconds of an empty window."""
        return min(self.time(lambda: None, 1, sync) for _ in range(3))

    def time(self, launch: Callable[[], Any], launches: int, sync: Optional[Callable[[], Any]]) -> float:
        """Nanoseconds of `launches` launches, waited for."""
        now, clock = self.now, self.clock
        if sync:
            sync()
        start = now(clock)
        for _ in range(launches):
            launch()
        if sync:
            sync()
        return float(now(clock) - start)

    def tick(self, launches: int) -> float:
        """What a time per launch is good to, in nanoseconds, where a window holds this many of them."""
        return self.tick_ns

    def clock_mhz(self) -> Optional[float]:
        """Clock of the device right after a leg in MHz; None where it is not known, as for a host's."""
        return None

    def conditions(self) -> Mapping[str, Any]:
        """State of the device after a block, by the names that README.md has; empty where nothing is known."""
        return {}


def spent_ns(now: Callable[[int], int] = time.clock_gettime_ns, usage: Callable[[int], Any] = resource.getrusage) -> float:
    """Processor time in ns of this process and of the children that it has waited for."""
    children = usage(resource.RUSAGE_CHILDREN)
    return now(time.CLOCK_PROCESS_CPUTIME_ID) + (children.ru_utime + children.ru_stime) * 1e9


class Pairs:
    """Launches on new contents and repeated ones in turn, and what they say of whoever may remember results.

    Others only ever add, so the best of each side says most: who is not suspicious by these is cleared. Code that
    remembers leaves work out in every repeated launch: it is accused when, besides, in enough pairs in a row the fastest
    launch on new contents was slower than the slowest repeated one.
    """

    CALM, AGREE, LIMIT = 8, 7, 3.0

    def __init__(self, slack_ns: float) -> None:
        self.slack_ns, self.count, self.agree = slack_ns, 0, 0
        self.fresh = self.repeated = math.inf
        self._calm = self._row = 0
        self._fastest, self._slowest = math.inf, 0.0

    def add(self, fresh: float, repeated: float) -> None:
        """One pair: what a launch of either kind cost, in ns."""
        self.count += 1
        self._calm = 0 if fresh < 0.98 * self.fresh or repeated < 0.98 * self.repeated else self._calm + 1
        self.fresh, self.repeated = min(self.fresh, fresh), min(self.repeated, repeated)
        self._fastest, self._slowest = min(self._fastest, fresh), max(self._slowest, repeated)
        if self._fastest > self._slowest:
            self._row += 1
        elif fresh > repeated:  # the row ends, and the next one begins with this pair
            self._row, self._fastest, self._slowest = 1, fresh, repeated
        else:
            self._row, self._fastest, self._slowest = 0, math.inf, 0.0
        self.agree = max(self.agree, self._row)

    def suspicious(self) -> bool:
        """Whether the best of both sides accuses."""
        return self.fresh > self.LIMIT * self.repeated + self.slack_ns

    def accuses(self) -> bool:
        """Whether that is certain."""
        return self.suspicious() and self.agree >= self.AGREE

    def wanted(self, most: int) -> bool:
        """Whether another pair, of so many at most, may change anything."""
        settled = not self.suspicious() or self.agree >= self.AGREE
        return self.count < most and not (self._calm >= self.CALM and settled)

    def __str__(self) -> str:
        return (f"a launch on changed inputs takes {self.fresh / 1e3:.4g} us, a repeated one {self.repeated / 1e3:.4g} us "
                f"(the best of {self.count} pairs in turn; {self.agree} in a row agree)")


class Guard:
    """What code under test must leave alone in this process, as it was when the harness started.

    Python lets every module be changed from anywhere, so the functions that times and answers depend on are compared
    with those that were there. The host's clock is read around each window: a device's clock may say less than that,
    because a launch costs time on the host, but never more.
    """

    def __init__(self, guarded: Sequence[Tuple[Any, str]]) -> None:
        self._clock, self._now = time.CLOCK_MONOTONIC, time.clock_gettime_ns
        self._guarded = [(time, "clock_gettime_ns"), (time, "perf_counter_ns"), (os, "write"), (os, "_exit"),
                         (hashlib, "sha256"), (Guard, "check"), (Guard, "closes"), *guarded]
        self._before = self._functions()
        self._threads = threading.active_count()
        self._odd: Dict[str, List[int]] = {}

    def _functions(self) -> List[Any]:
        return [getattr(owner, name) for owner, name in self._guarded]

    def opens(self) -> int:
        """The host's clock before a window."""
        return self._now(self._clock)

    def closes(self, subject: str, opened: int, window_ns: float) -> None:
        """Holds a window against the host's clock."""
        around = self._now(self._clock) - opened
        seen = self._odd.setdefault(subject, [0, 0])
        seen[0] += 1
        seen[1] += window_ns > around * 1.01 + 1000

    def check(self) -> None:
        """Raises Tampered when something is not as it was."""
        for before, now in zip(self._before, self._functions()):
            if before is not now:
                raise Tampered(f"{getattr(before, '__qualname__', before)} was replaced by code under test")
        if threading.active_count() > self._threads + ALLOWED_THREADS:
            raise Tampered("launches leave more and more threads behind")
        for subject, (seen, odd) in self._odd.items():
            if seen >= 4 and odd * 2 > seen:
                raise Tampered(f"the clock during launches of {subject} disagrees with the host's")

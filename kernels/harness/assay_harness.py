"""Harness helper for Python evaluators of Assay: Python 3.9 or newer, standard library only, with assay_guard.py.

The protocol is described in README.md beside this file. A whole evaluator:

    from assay_harness import Harness, main

    def evaluate(h):
        for w in h.workloads:
            cases = {s.id: build_case(s, w) for s in h.subjects}
            if h.stage == "check":
                for s in h.subjects:
                    h.check(w, s, max_abs_error=..., max_rel_error=..., ok=...)
            else:
                h.measure(w, {s.id: cases[s.id].launch for s in h.subjects},
                          prepare=..., verify=..., sync=torch.cuda.synchronize)

    main(evaluate)

`measure` does the warm-up, the leg order, the least leg time, and calls `prepare` before and
`verify` after every timed batch, outside the timed window. In mode `resident`, give `serve` a
function that returns the callable of a workload; it answers the runner's requests until the end.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import math
import os
import struct
import sys
import traceback
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Union

from assay_guard import MASK, Guard, Pairs, Random, Suspected, Tampered, Timer, spent_ns

EXIT_OK, EXIT_RUNTIME, EXIT_LAUNCH, EXIT_WRONG, EXIT_TAMPERED = 0, 1, 2, 3, 4

BATCHES = 4
MAX_BATCHES = 16
MAX_TEXT = 1 << 20

# A quiet NaN with a payload of ours: an output element that still holds it was never written.
POISON_F32 = struct.unpack("<f", struct.pack("<I", 0x7FC0DEAD))[0]


class HarnessError(Exception):
    """The plan cannot be followed; the message says why and what to change."""


class LaunchFailure(Exception):
    """A subject could not be loaded or launched (exit code 2)."""


class WrongResult(Exception):
    """A subject gave a wrong result (exit code 3)."""


class Subject:
    """What is measured: `id`, `role`, and the paths `folder`, `artefact`, `source`."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.id = str(fields["id"])
        self.role = str(fields.get("role", "variant"))
        self.folder = str(fields.get("folder", ""))
        self.artefact = str(fields.get("artefact", ""))
        self.source = str(fields.get("source", ""))

    def __repr__(self) -> str:
        return f"Subject({self.id!r})"


class Workload:
    """One problem: `name`, `dtype`, `dims`, `flops`, `bytes`; `w["M"]` is a dim."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.name = str(fields["name"])
        self.dtype = str(fields.get("dtype", "f32"))
        self.dims: Dict[str, int] = dict(fields.get("dims") or {})
        self.flops: Optional[float] = fields.get("flops")
        self.bytes: Optional[float] = fields.get("bytes")

    def __getitem__(self, dim: str) -> int:
        if dim not in self.dims:
            raise HarnessError(f"workload {self.name} has no dim {dim}; add it in assay.toml")
        return self.dims[dim]

    def __repr__(self) -> str:
        return f"Workload({self.name!r}, {self.dims})"


class _Rate:
    """How one subject is timed on one workload: fixed after the warm-up, so that its legs are alike."""

    def __init__(self, per_launch_ns: float, min_leg_ns: float, cold: bool) -> None:
        per_launch_ns = max(per_launch_ns, 1.0)
        self.batches = min(BATCHES, max(1, math.ceil(min_leg_ns / per_launch_ns)))
        self.launches = max(1, math.ceil(min_leg_ns / (per_launch_ns * self.batches)))
        if cold:
            # One launch for each flush; the number of batches shows the spread.
            self.launches, self.batches = 1, min(MAX_BATCHES, self.batches * self.launches)


Verify = Callable[[str], Union[None, bool, str]]


class Harness:
    """One process of one stage: reads the plan, hides the answer channel, writes answers."""

    def __init__(self, environ: Optional[Dict[str, str]] = None) -> None:
        env: Any = os.environ if environ is None else environ
        self.plan: Dict[str, Any] = _object(_take(env, "ASSAY_PLAN"), "ASSAY_PLAN")
        subjects = _parse(_take(env, "ASSAY_SUBJECTS"), "ASSAY_SUBJECTS")
        if self.plan.get("assay") != 1:
            raise HarnessError(f"ASSAY_PLAN: this helper speaks protocol 1, the plan says {self.plan.get('assay')!r}")
        self.subjects: List[Subject] = [Subject(s) for s in subjects]
        self.workloads: List[Workload] = [Workload(w) for w in self.plan.get("workloads", [])]
        if not self.subjects or not self.workloads:
            raise HarnessError("the plan names no subject or no workload; was this started by assay?")
        self.stage = str(self.plan.get("stage", "bench"))
        self.mode = str(self.plan.get("mode", "pair"))
        self.cache = str(self.plan.get("cache", "hot"))
        self.process = int(self.plan.get("process", 1))
        self._fd = _adopt(env.pop("ASSAY_FD", None), "ASSAY_FD")
        self._nonce = env.pop("ASSAY_NONCE", None)
        self._requests = _adopt(env.pop("ASSAY_REQ_FD", None), "ASSAY_REQ_FD")
        if (self._fd is None or self._nonce is None) and self.stage != "profile":
            raise HarnessError("ASSAY_FD or ASSAY_NONCE is not set; start this program through `assay run`")
        self._pending: List[str] = []
        self._wrong: List[str] = []
        self.guard = Guard(GUARDED)

    # ---- what the plan asks for

    def subject(self, subject_id: str) -> Subject:
        """The subject of this id."""
        for s in self.subjects:
            if s.id == subject_id:
                return s
        raise HarnessError(f"no subject {subject_id}")

    def load_order(self) -> List[Subject]:
        """Subjects in the order in which to load them; it differs between processes on purpose."""
        slots = [ord(c) - ord("A") for c in str(self.plan.get("load_order", ""))]
        order = [self.subjects[i] for i in slots if 0 <= i < len(self.subjects)]
        return order + [s for s in self.subjects if s not in order]

    def random(self, text: str, number: int = 0) -> Random:
        """A stream of its own for (seed, text, number): inputs of each workload and phase differ."""
        state = int(self.plan.get("seed", 0)) ^ 0x243F6A8885A308D3
        for byte in text.encode():
            state = ((state ^ byte) * 0x100000001B3) & MASK
        stream = Random(state ^ (number * 0xD1342543DE82EF95 & MASK))
        stream.next()
        return stream

    # ---- answers

    def samples(self, workload: Union[Workload, str], subject: Union[Subject, str], block: int, leg: int,
                values: Sequence[float], launches: int, timer: str, tick: float, unit: str = "ns",
                clock_mhz: Optional[float] = None) -> None:
        """One leg: `values` are times per launch, one for each timed batch; the clock is that of the device in it."""
        for v in values:
            if not (math.isfinite(v) and v > 0):
                raise HarnessError(f"{v} is not a time; the timer `{timer}` did not work")
        known = {} if clock_mhz is None else {"clock_mhz": clock_mhz}
        self._answer("samples", workload=_name(workload), subject=_name(subject), process=self.process, block=block,
                     leg=leg, unit=unit, values=list(values), launches=launches, timer=timer, tick=tick,
                     cache=self.cache, **known)

    def conditions(self, workload: Union[Workload, str], block: int, fields: Mapping[str, Any]) -> None:
        """State of the device right after a block; nothing is answered where nothing is known."""
        if fields:
            self._answer("conditions", workload=_name(workload), process=self.process, block=block, **fields)

    def check(self, workload: Union[Workload, str], subject: Union[Subject, str], *, ok: bool,
              max_abs_error: Optional[float] = None, max_rel_error: Optional[float] = None, detail: str = "") -> None:
        """The result of comparing with the oracle. An error that is not finite is written as null."""
        errors = {"max_abs_error": max_abs_error, "max_rel_error": max_rel_error}
        for key, value in errors.items():
            if value is not None and not math.isfinite(value):
                errors[key] = None
                ok = False
                detail = detail or f"{key} is {value}"
        self._answer("check", workload=_name(workload), subject=_name(subject), ok=bool(ok), detail=detail, **errors)
        if not ok:
            self._wrong.append(f"{_name(subject)} on {_name(workload)}: {detail or 'error above the tolerance'}")

    def resource(self, name: str, value: float, unit: str) -> None:
        """A figure that gates can name, e.g. `registers`."""
        if not math.isfinite(value):
            raise HarnessError(f"resource {name} is {value}")
        self._answer("resource", name=name, value=value, unit=unit)

    def untimed(self, name: str, step: Callable[[], Any], sync: Optional[Callable[[], Any]] = None) -> Any:
        """Runs a step that is not timed, e.g. packing an operand once, and reports what it costs.

        `name` is that of [[untimed]] in assay.toml. Call it in the check stage; the most expensive report counts.
        """
        if sync:
            sync()
        opened = self.guard.opens()
        result = step()
        if sync:
            sync()
        self.resource(f"untimed.{name}_ms", (self.guard.opens() - opened) / 1e6, "ms")
        return result

    def note(self, text: str) -> None:
        """A remark for the record."""
        self._answer("note", text=text)

    def loaded(self, subject: Subject, path: Optional[str] = None) -> None:
        """Says which file of a subject was loaded; the runner holds it against what it built."""
        with open(path or subject.artefact, "rb") as f:
            self._answer("loaded", subject=subject.id, sha256=hashlib.sha256(f.read()).hexdigest())

    def done(self) -> int:
        """Ends the answers and gives the exit code of the process."""
        self.guard.check()
        self._answer("done", process=self.process)
        self.flush()
        for text in self._wrong:
            print(f"assay harness: wrong result of {text}", file=sys.stderr)
        return EXIT_WRONG if self._wrong else EXIT_OK

    def flush(self) -> None:
        """Sends what was kept back; `measure` calls it between workloads, never between two legs."""
        data = "".join(self._pending).encode()
        self._pending.clear()
        while data and self._fd is not None:
            data = data[os.write(self._fd, data):]

    def _answer(self, kind: str, **fields: Any) -> None:
        line = {"assay": 1, "nonce": self._nonce, "kind": kind, **fields}
        # allow_nan=False: a number that is not finite is a bug here, never an answer.
        self._pending.append(json.dumps(line, allow_nan=False) + "\n")

    # ---- measuring

    def measure(self, workload: Workload, launches: Mapping[str, Callable[[], Any]], *,
                prepare: Optional[Callable[[str], Any]] = None, verify: Optional[Verify] = None,
                sync: Optional[Callable[[], Any]] = None, flush: Optional[Callable[[], Any]] = None,
                timer: Optional[Timer] = None) -> None:
        """Times all legs of a workload in the plan's order.

        `launches` maps the id of each subject to a callable without arguments. `prepare(id)` puts
        other input contents in place and poisons the output; `verify(id)` compares the output with
        the reference and returns None or True when it is right, False or a text when not. Both run
        around every timed batch, outside the window. A wrong output raises WrongResult, and no
        latency of the workload is answered.
        """
        if self.mode == "resident":
            raise HarnessError("mode `resident` measures on request; use serve()")
        timer = timer or Timer()
        mark = len(self._pending)
        best: Dict[str, float] = {}
        rates = {s.id: self._warm_up(launches[s.id], s.id, prepare, sync, flush, timer) for s in self.subjects}
        try:
            first_block, first_leg = int(self.plan.get("block") or 0), int(self.plan.get("leg") or 0)
            for block, order in enumerate(self._orders()):
                for leg, slot in enumerate(_slots(order, len(self.subjects))):
                    s = self.subjects[slot].id
                    values, count = self._leg(workload, launches[s], s, rates[s], prepare, verify, sync, flush, timer)
                    self.guard.check()
                    best[s] = min(values + [best.get(s, math.inf)])
                    self.samples(workload, s, first_block + block, first_leg + leg, values, count, timer.name,
                                 timer.tick(rates[s].launches), clock_mhz=timer.clock_mhz())
                self.conditions(workload, first_block + block, timer.conditions())
            for s, fastest in best.items():
                self._probe(workload, launches[s], s, fastest, rates[s], prepare, verify, sync, flush, timer)
        except (WrongResult, Suspected):
            answers = self._pending[mark:]
            self._pending[mark:] = [line for line in answers if json.loads(line)["kind"] not in ("samples", "conditions")]
            self.flush()
            raise
        self.flush()

    def serve(self, launch_of: Callable[[Workload, Subject], Callable[[], Any]], *,
              prepare: Optional[Callable[[str], Any]] = None, verify: Optional[Verify] = None,
              sync: Optional[Callable[[], Any]] = None, flush: Optional[Callable[[], Any]] = None,
              timer: Optional[Timer] = None) -> None:
        """Mode `resident`: answers one leg for each request, until the runner says `end` or goes away.

        `launch_of(workload, subject)` is asked when the workload changes and must do all set-up.
        """
        if self._requests is None:
            raise HarnessError("ASSAY_REQ_FD is not set; serve() is for mode = \"resident\"")
        timer = timer or Timer()
        subject = self.subjects[0]
        by_name = {w.name: w for w in self.workloads}
        ready: Dict[str, Any] = {}
        for request in _requests(self._requests):
            if request.get("request") == "end":
                return
            workload = by_name.get(str(request.get("workload")))
            if request.get("request") != "leg" or workload is None:
                raise HarnessError(f"the request cannot be followed: {json.dumps(request)[:200]}")
            if workload.name not in ready:
                ready.clear()
                launch = rate = None  # what was measured before goes before the next is made
                launch = launch_of(workload, subject)
                rate = self._warm_up(launch, subject.id, prepare, sync, flush, timer)
                ready[workload.name] = (launch, rate)
            launch, rate = ready[workload.name]
            try:
                values, count = self._leg(workload, launch, subject.id, rate, prepare, verify, sync, flush, timer)
            except WrongResult:
                self.flush()
                raise
            self.guard.check()
            self.samples(workload, subject, int(request["block"]), int(request["leg"]), values, count, timer.name,
                         timer.tick(rate.launches), clock_mhz=timer.clock_mhz())
            self.flush()

    def _orders(self) -> List[str]:
        blocks = int(self.plan.get("blocks", 1))
        orders = list(self.plan.get("order") or (["ABBA"] if len(self.subjects) > 1 else ["A"]))
        return [str(orders[i % len(orders)]) for i in range(blocks)]

    def _warm_up(self, launch: Callable[[], Any], subject: str, prepare: Optional[Callable[[str], Any]],
                 sync: Optional[Callable[[], Any]], flush: Optional[Callable[[], Any]], timer: Timer) -> _Rate:
        if self.cache == "cold" and flush is None:
            raise HarnessError("cache = \"cold\" needs a flush; the harness has none")
        goal, spent, n, rounds = max(1.0, float(self.plan.get("warmup_ns", 5e7))), 0.0, 1, 0
        # The shortest time counts: one interruption must not make all legs of this subject too short.
        per_launch = math.inf
        if prepare:
            prepare(subject)
        timer.time(launch, 1, sync)  # loads the code: no measure of what a launch takes
        while spent < goal or (rounds < 4 and spent < 4 * goal):
            last = timer.time(launch, n, sync)
            if not last > 0:
                last = timer.tick_ns
            spent += last
            rounds += 1
            per_launch = min(per_launch, last / n)
            if last < goal / 16:
                n *= 2
        return _Rate(per_launch, float(self.plan.get("min_leg_ns", 1e7)), self.cache == "cold")

    def _probe(self, workload: Workload, launch: Callable[[], Any], subject: str, fastest: float, rate: "_Rate",
               prepare: Optional[Callable[[str], Any]], verify: Optional[Verify], sync: Optional[Callable[[], Any]],
               flush: Optional[Callable[[], Any]], timer: Timer) -> None:
        """Single launches on new contents (warm, by one on others) against repeated ones: remembered results show here."""
        if prepare is None or self.cache == "cold":
            return
        # Starting and stopping the clock is in a single launch and hardly in a batch.
        slack = 5e3 + 2 * timer.overhead(sync)
        single = min(self._batch(workload, launch, subject, 1, prepare, verify, sync, flush, timer) for _ in range(6))
        if rate.launches < 2 or single <= 1.5 * fastest + slack:
            return
        on_host = sync is None and type(timer).time is Timer.time
        for most in (40, 120):  # the machine may have got busy since: pairs decide, and once more before anybody is accused
            pairs = Pairs(slack)
            while pairs.wanted(most):
                self._batch(workload, launch, subject, 1, prepare, verify, sync, flush, timer)
                fresh = self._batch(workload, launch, subject, 1, prepare, verify, sync, flush, timer, work=on_host)
                again = self._batch(workload, launch, subject, rate.launches, prepare, verify, sync, flush, timer,
                                    before=1, work=on_host) / rate.launches
                pairs.add(fresh, again)
            if not pairs.suspicious():
                return
        if not pairs.accuses():
            return self.note(f"whether launches of {subject} on {workload.name} reuse earlier results could not be "
                             f"settled, because the machine is busy: {pairs}")
        said = f"repeated launches seem to reuse earlier results: {pairs}"
        self._answer("suspect", workload=workload.name, subject=subject, detail=said)
        raise Suspected(f"{subject} on {workload.name}: {said}")

    def _batch(self, workload: Workload, launch: Callable[[], Any], subject: str, launches: int,
               prepare: Optional[Callable[[str], Any]], verify: Optional[Verify], sync: Optional[Callable[[], Any]],
               flush: Optional[Callable[[], Any]], timer: Timer, before: int = 0, work: bool = False) -> float:
        """Time of one batch in ns, or with `work` its processor time: new contents and launches before, its output compared after."""
        if prepare:
            prepare(subject)
        if before:
            timer.time(launch, before, sync)
        if self.cache == "cold" and flush:
            flush()
        opened, spent = self.guard.opens(), spent_ns()
        ns = timer.time(launch, launches, sync)
        spent = spent_ns() - spent
        self.guard.closes(subject, opened, ns)
        verdict = verify(subject) if verify else None
        if verdict is not None and verdict is not True:
            detail = verdict if isinstance(verdict, str) else "a timed launch gave a wrong result"
            self.check(workload, subject, ok=False, detail=detail)
            raise WrongResult(self._wrong[-1])
        return spent if work and spent >= ns / 64 else ns  # work that no clock of this process sees: its time

    def _leg(self, workload: Workload, launch: Callable[[], Any], subject: str, rate: _Rate,
             prepare: Optional[Callable[[str], Any]], verify: Optional[Verify], sync: Optional[Callable[[], Any]],
             flush: Optional[Callable[[], Any]], timer: Timer) -> Any:
        values: List[float] = []
        total, least = 0.0, float(self.plan.get("min_leg_ns", 1e7))
        cold = self.cache == "cold"
        while len(values) < rate.batches or (not cold and total < least and len(values) < MAX_BATCHES):
            ns = self._batch(workload, launch, subject, rate.launches, prepare, verify, sync, flush, timer)
            values.append(ns / rate.launches)
            total += ns
        return values, rate.launches * len(values)


# What times and answers depend on, of this module and of others.
GUARDED = [(json, "dumps"), (json, "loads"), (math, "isfinite"), (Timer, "time"), (Harness, "samples"),
           (Harness, "check"), (Harness, "_answer"), (Harness, "_leg"), (Harness, "_batch"), (Harness, "flush")]


def main(evaluate: Callable[[Harness], Any]) -> None:
    """Runs an evaluator and ends the process with the exit code that the protocol asks for."""
    try:
        harness = Harness()
        evaluate(harness)
        code = harness.done()
    except WrongResult as e:
        print(f"assay harness: wrong result of {e}", file=sys.stderr)
        code = EXIT_WRONG
    except Tampered as e:
        print(f"assay harness: {e}", file=sys.stderr)
        code = EXIT_TAMPERED
    except LaunchFailure as e:
        print(f"assay harness: {e}", file=sys.stderr)
        code = EXIT_LAUNCH
    except HarnessError as e:
        print(f"assay harness: {e}", file=sys.stderr)
        code = EXIT_RUNTIME
    except Exception:
        traceback.print_exc()
        code = EXIT_RUNTIME
    sys.stdout.flush()
    sys.stderr.flush()
    # Threads and exit handlers of the code under test do not get to change the outcome.
    os._exit(code)


def _take(env: Any, name: str) -> str:
    text = env.pop(name, None)
    if text is None:
        raise HarnessError(f"{name} is not set; start this program through `assay run`")
    if len(text) > MAX_TEXT:
        raise HarnessError(f"{name} is too long ({len(text)} bytes)")
    return text


def _parse(text: str, what: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as e:
        raise HarnessError(f"{what}: {e}; was this started by assay?") from None


def _object(text: str, what: str) -> Dict[str, Any]:
    value = _parse(text, what)
    if not isinstance(value, dict):
        raise HarnessError(f"{what} is not a JSON object; was this started by assay?")
    return value


def _adopt(text: Optional[str], what: str) -> Optional[int]:
    """Moves a descriptor to another number that children do not inherit."""
    if text is None:
        return None
    try:
        moved = fcntl.fcntl(int(text), fcntl.F_DUPFD_CLOEXEC, 64)
        os.close(int(text))
        return moved
    except (ValueError, OSError) as e:
        raise HarnessError(f"{what} is not an open descriptor ({text}): {e}") from None


def _slots(order: str, count: int) -> List[int]:
    slots = [ord(c) - ord("A") for c in order]
    if any(s < 0 or s >= count for s in slots):
        raise HarnessError(f"the plan's order `{order}` names a subject that was not given")
    return slots


def _name(item: Any) -> str:
    if isinstance(item, Workload):
        return item.name
    return item.id if isinstance(item, Subject) else str(item)


def _requests(fd: int) -> Iterator[Dict[str, Any]]:
    buffer = b""
    while True:
        line, newline, rest = buffer.partition(b"\n")
        if newline:
            buffer = rest
            if line.strip():
                yield _object(line.decode("utf-8", "replace"), "request")
            continue
        if len(buffer) > MAX_TEXT:
            raise HarnessError("a request is too long")
        chunk = os.read(fd, 65536)
        if not chunk:
            return
        buffer += chunk

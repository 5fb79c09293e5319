"""For evaluators that measure on a device through PyTorch: a timer, a flush and looks at results; needs torch only when used.

    from assay_harness import Harness, main
    from assay_torch import EventTimer, Flush, plain

    bench(h, problem_of, EventTimer())      # pairs in one process, or one subject on request: mode `pair` or `resident`

`problem_of(w)` gives what is measured on a workload: `launches` (one callable for the id of each subject), `prepare(id)` and
`verify(id)`. Each leg carries the SM clock and each block is followed by the state of the device, as far as the driver tells
(assay_nvml.py).

Timers: `EventTimer`, `GraphTimer` (without the host's work for a launch), `CuptiTimer` (what the driver's tracing says that
kernels took). They differ by a factor on small kernels, so that each has its name in every answer and none is replaced by
another in silence: see `chosen`.

What is caught here and nowhere else: work on a stream that the events do not see (E1), results that are computed when
they are read (E2), cache lines that survive a flush (E13), library kernels (E14), graphs that replay old pointers (E23:
give `prepare` tensors from `elsewhere`).
"""

from __future__ import annotations

import ctypes
import re
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from assay_guard import Tampered
from assay_harness import Harness, HarnessError, Timer, Workload, WrongResult
from assay_nvml import Nvml

# Names of kernels that come from a vendor's libraries and not from the one that is asked for.
VENDOR = re.compile(r"cublas|cudnn|cutlass|nvjet|xmma|ampere_|hopper_|sm\d\d_xmma|volta_|turing_|mcblas|maca_blas|rocblas", re.I)

# What the host may take at most to see that the device is done.
MOST_SLACK_NS = 50e3


def cuda() -> Any:
    """`torch.cuda`, with a device. There is no other clock to fall back to."""
    import torch

    if not torch.cuda.is_available():
        raise HarnessError("no device that torch.cuda can use; the timer `device_event` needs one")
    return torch.cuda


class EventTimer(Timer):
    """Device events on the current stream, held against a full synchronise of the device."""

    def __init__(self, device: Optional[Any] = None, state: Optional[Any] = None) -> None:
        super().__init__()
        self.device = device or cuda()
        self.state = state if state is not None else Nvml.of_torch(self.device)
        self.name, self.tick_ns = "device_event", 500
        self.seen = self.late = 0
        self.worst_ns = 0.0
        self.remark = ""
        self.begun: Any = None
        self._slack_ns: Optional[float] = None

    def time(self, launch: Callable[[], Any], launches: int, sync: Optional[Callable[[], Any]] = None) -> float:
        """Nanoseconds between two events around the launches, and whatever the device still does after the second."""
        window = self.window(launch, launches)
        ns, left = self._timed(window)
        if self._slack_ns is None:
            # What the host takes to see that nothing is left; a single short launch on another stream is above it.
            self._slack_ns = min(MOST_SLACK_NS, 5e3 + 3 * max(self._timed(_nothing)[1] for _ in range(9)))
        self.seen += 1
        if left > 0.1 * ns + self._slack_ns:
            self.late += 1
            self.worst_ns = max(self.worst_ns, left)
        # Less than this may be the host's, once in a while, and would only be noise in a time.
        return ns + left if left > 0.1 * ns + MOST_SLACK_NS else ns

    def _timed(self, window: Callable[[], Any]) -> Tuple[float, float]:
        """Nanoseconds between two events around a window, and from the second one to when all streams are done."""
        self.device.synchronize()
        start, end = self.device.Event(enable_timing=True), self.device.Event(enable_timing=True)
        self.hold()
        start.record()
        self.begun = start
        window()
        end.record()
        end.synchronize()
        stopped = self.now(self.clock)
        self.device.synchronize()
        return float(start.elapsed_time(end)) * 1e6, float(self.now(self.clock) - stopped)

    def window(self, launch: Callable[[], Any], launches: int) -> Callable[[], Any]:
        """What stands between the events."""
        if isinstance(launch, Rotation):
            launch.begin(launches)

        def run() -> None:
            for _ in range(launches):
                launch()

        return run

    def hold(self) -> None:
        """Called right before the start event is recorded."""

    def tick(self, launches: int) -> float:
        """Two events are good to half a microsecond, whatever lies between them."""
        return self.tick_ns / launches

    def clock_mhz(self) -> Optional[float]:
        """The SM clock right after a leg, in MHz."""
        return self.state.clock_mhz()

    def conditions(self) -> Mapping[str, Any]:
        """State of the device after a block."""
        return self.state.conditions()

    def notes(self) -> List[str]:
        """What the record should tell once: why the state of the device is not known, and that another timer was asked for."""
        return [text for text in (self.state.problem, self.remark) if text]

    def forget(self) -> None:
        """Drops what is kept for the launches of a workload; called between workloads."""

    def check(self) -> None:
        """Raises Tampered when the device worked on after the stop event in a good part of the windows, which two subjects share."""
        if self.seen >= 4 and self.late * 4 > self.seen:
            raise Tampered(f"the device works on after the stop event, up to {self.worst_ns / 1e3:.0f} us: launches use a "
                           "stream that the events do not see")


class Rotation:
    """Launches over several sets of buffers in turn; `used` is how many of them the last window touched."""

    def __init__(self, launches: Sequence[Callable[[], Any]]) -> None:
        self.launches, self.turn, self.used = list(launches), 0, 0

    def begin(self, launches: int) -> None:
        """A window of so many launches begins: with the first set."""
        self.turn, self.used = 0, min(len(self.launches), launches)

    def __call__(self) -> None:
        self.launches[self.turn]()
        self.turn = (self.turn + 1) % len(self.launches)


class GraphTimer(EventTimer):
    """Device events around recorded launches that queue up behind a kernel that waits.

    The host's work for a launch, which takes longer than a small kernel, is then in no window: launches are recorded
    once and replayed in portions, and the first of them is in the queue before the start event is reached. Where it is not,
    the waiting kernel waits twice as long from then on. Contents of buffers may change between windows, addresses may not.
    """

    PORTION = 64
    # Cycles of the waiting kernel at first and at most, about 0.2 and 10 ms: enough to queue up events and a replay.
    HOLD_CYCLES = 400_000
    MOST_HOLD_CYCLES = 20_000_000

    def __init__(self, device: Optional[Any] = None, state: Optional[Any] = None) -> None:
        super().__init__(device, state)
        self.name = "device_event_graph"
        self.hold_cycles, self.exposed = self.HOLD_CYCLES, 0
        self._idle = lambda: self.device._sleep(1)
        self._graphs: List[Any] = []
        self._pool: Any = None

    def overhead(self, sync: Optional[Callable[[], Any]]) -> float:
        """Nanoseconds of a window with one recorded launch of a kernel that does nothing: a replay begins with a latency."""
        return min(EventTimer.time(self, self._idle, 1, sync) for _ in range(3))

    def notes(self) -> List[str]:
        """What EventTimer tells, and where the host was too late too often for a time that has nothing of the host in it."""
        late = f"in {self.exposed} of {self.seen} windows the first launches were not queued in time: the host's work is in them"
        return super().notes() + ([late] if self.exposed * 50 > self.seen and self.exposed > 8 else [])

    def window(self, launch: Callable[[], Any], launches: int) -> Callable[[], Any]:
        """The recorded launches, so many of them."""
        sets = 1
        if isinstance(launch, Rotation):
            sets = len(launch.launches)
            launch.begin(launches)
        # A whole number of turns, so that the next portion goes on where this one ends.
        portion = sets * -(-self.PORTION // sets)
        whole, rest = divmod(launches, portion)
        graphs = [self._recorded(launch, portion)] * whole + ([self._recorded(launch, rest)] if rest else [])

        def run() -> None:
            for number, graph in enumerate(graphs):
                graph.replay()
                if number == 0 and self.begun is not None and self.begun.query():
                    self.exposed += 1
                    self.hold_cycles = min(2 * self.hold_cycles, self.MOST_HOLD_CYCLES)

        return run

    def hold(self) -> None:
        """Keeps the device busy while the window is queued up."""
        self.device._sleep(self.hold_cycles)

    def forget(self) -> None:
        """Drops what was recorded, with the memory that it holds."""
        self._graphs.clear()
        self._pool = None

    def _recorded(self, launch: Callable[[], Any], launches: int) -> Any:
        for known, count, graph in self._graphs:
            if known is launch and count == launches:
                return graph
        if not any(known is launch for known, _, _ in self._graphs):
            launch()  # loads the code, which cannot be recorded
        self._pool = self._pool or self.device.graph_pool_handle()
        self.device.synchronize()
        graph = self.device.CUDAGraph()
        if isinstance(launch, Rotation):
            launch.turn = 0
        with self.device.graph(graph, pool=self._pool):
            for _ in range(launches):
                launch()
        self._graphs.append((launch, launches, graph))
        return graph


class CuptiTimer(EventTimer):
    """What the driver's tracing (CUPTI, through torch's profiler) says that the kernels of a window took, on all streams.

    Neither launches nor gaps between kernels are in it, so that it is a timer of its own: on small kernels events say several
    times as much. Where tracing says nothing, or misses launches, that is an error; nothing else is taken for it.
    """

    def __init__(self, device: Optional[Any] = None, state: Optional[Any] = None, trace: Optional[Callable[..., Any]] = None) -> None:
        super().__init__(device, state)
        self.name, self.tick_ns = "cupti_kernel", 32
        self.trace = trace or traced

    def time(self, launch: Callable[[], Any], launches: int, sync: Optional[Callable[[], Any]] = None) -> float:
        """Nanoseconds in which at least one kernel of the launches ran."""
        spans = self.trace(self.window(launch, launches), self.device)
        if len(spans) < launches:
            raise HarnessError(f"the timer `cupti_kernel` saw {len(spans)} kernels of {launches} launches: CUPTI does not work here, or "
                               "another profiler has it; ask for another timer, none is taken in its place")
        self.seen += 1
        return union_ns(spans)

    def overhead(self, sync: Optional[Callable[[], Any]]) -> float:
        """An empty window has no kernel."""
        return 0.0


def traced(window: Callable[[], Any], device: Any) -> List[Tuple[int, int, str]]:
    """(start, end, name) of all that the device did in a window, in ns, by torch's profiler."""
    from torch.autograd import DeviceType
    from torch.profiler import ProfilerActivity, profile

    device.synchronize()
    with profile(activities=[ProfilerActivity.CUDA]) as seen:
        window()
        device.synchronize()
    events = seen.profiler.kineto_results.events()
    return [(e.start_ns(), e.start_ns() + e.duration_ns(), e.name()) for e in events if e.device_type() == DeviceType.CUDA]


def union_ns(spans: Sequence[Tuple[int, int, str]]) -> float:
    """Time in which at least one of the spans runs."""
    total, until = 0, 0
    for start, end, _ in sorted(spans):
        total += max(0, end - max(start, until))
        until = max(until, end)
    return float(total)


def chosen(name: str, instead: Optional[str] = None) -> EventTimer:
    """The timer of a name: `event`, `graph` or `cupti`, tried once.

    One that does not work here is an error. Only with `instead` is another one taken; then the answers have that one's name
    as their timer, and a note says what was asked for and why it was not to be had.
    """
    timers: Dict[str, Callable[[], EventTimer]] = {"event": EventTimer, "graph": GraphTimer, "cupti": CuptiTimer}
    for asked in (name, instead):
        if asked is not None and asked not in timers:
            raise HarnessError(f"no timer is called {asked}; there are {', '.join(timers)}")
    try:
        timer = timers[name]()
        _tried(timer)
        return timer
    except Exception as e:
        if instead is None:
            raise
        why = str(e).strip().splitlines()[0] if str(e).strip() else type(e).__name__
    other = timers[instead]()
    _tried(other)
    other.remark = f"the timer {name} was asked for and does not work here ({why}); all times are of {other.name}"
    return other


def _tried(timer: EventTimer) -> None:
    import torch

    one = torch.ones(1024, device="cuda")
    if not timer.time(lambda: one.add_(1), 2) > 0:
        raise HarnessError(f"the timer {timer.name} gives no time")
    timer.forget()


def bench(h: Harness, problem_of: Callable[[Workload], Any], timer: EventTimer, *, flush: Optional[Callable[[], Any]] = None,
          sync: Optional[Callable[[], Any]] = None) -> None:
    """All legs of all workloads: of pairs in this process, or of one subject as the runner asks (mode `resident`).

    `problem_of(w)` makes what is measured on a workload, with `launches`, `prepare(id)` and `verify(id)`; the one before is
    gone by then. The timer says what it knows of the device, and refuses work on streams that its events do not see.
    """
    now: List[Any] = []

    def turn_to(w: Workload) -> Any:
        now.clear()
        timer.forget()
        cuda().empty_cache()
        now.append(problem_of(w))
        return now[0]

    tools = {"prepare": lambda s: now[0].prepare(s), "verify": lambda s: now[0].verify(s), "sync": sync, "flush": flush, "timer": timer}
    if h.mode == "resident":
        h.serve(lambda w, s: turn_to(w).launches[s.id], **tools)
    else:
        for w in h.workloads:
            h.measure(w, turn_to(w).launches, **tools)
    timer.check()
    for text in timer.notes():
        h.note(text)


def _nothing() -> None:
    """A window of nothing."""


class Zoned:
    """A tensor between zones of NaN: `tensor`, `poison()` before a launch, and `problem()` after it."""

    def __init__(self, shape: Sequence[int], dtype: Any, device: Any = "cuda", zone: int = 4096) -> None:
        import torch

        count = 1
        for dim in shape:
            count *= dim
        whole = torch.full((count + 2 * zone,), float("nan") if dtype.is_floating_point else 77, dtype=dtype, device=device)
        self.zones = (whole[:zone], whole[zone + count:])
        self.tensor = whole[zone:zone + count].view(*shape)
        self.of_float = dtype.is_floating_point

    def poison(self) -> None:
        """Not a number in each element, so that one that is not written is found; a large one where there is no such thing."""
        import torch

        self.tensor.fill_(float("nan") if self.of_float else torch.iinfo(self.tensor.dtype).max)

    def intact(self) -> bool:
        """Whether the zones are as they were."""
        return self.problem() is None

    def problem(self) -> Optional[str]:
        """What was written outside, or nothing."""
        for zone, where in zip(self.zones, ("before the beginning", "past the end")):
            if not bool((zone.isnan() if self.of_float else zone == 77).all()):
                return f"the kernel wrote {where}"
        return None


def generator(h: Harness, text: str, number: int = 0) -> Any:
    """Random numbers of (seed, text, number) on the device."""
    import torch

    made = torch.Generator(device="cuda")
    made.manual_seed(h.random(text, number).next() >> 1)
    return made


class Flush:
    """Overwrites more than the last-level cache, is done before it returns, and takes back persisting lines."""

    def __init__(self, least: int = 256 << 20) -> None:
        import torch

        size = getattr(torch.cuda.get_device_properties(torch.cuda.current_device()), "L2_cache_size", 0)
        self.buffer = torch.empty(max(least, 4 * size), dtype=torch.int8, device="cuda")
        self.turn = 0
        try:
            self.reset: Optional[Any] = ctypes.CDLL(None).cudaCtxResetPersistingL2Cache
        except (AttributeError, OSError):
            self.reset = None

    def __call__(self) -> None:
        self.turn ^= 1
        if self.reset is not None:
            self.reset()
        self.buffer.fill_(self.turn)
        cuda().synchronize()


def plain(out: Any) -> Any:
    """A copy of a result on the host; a tensor of another class or layout could compute when it is looked at."""
    import torch

    if type(out) is not torch.Tensor or out.layout is not torch.strided:
        raise WrongResult(f"the result is a {type(out).__name__}, not a plain tensor")
    if out.numel() and out.untyped_storage().data_ptr() == 0:
        raise WrongResult("the result has no memory behind it")
    cuda().synchronize()
    return out.detach().to("cpu", copy=True)


def elsewhere(like: Any, fill: Callable[[Any], Any], keep: List[Any]) -> Any:
    """A tensor like this one at another address, filled by `fill`; those in `keep` stay, so that addresses differ."""
    import torch

    new = torch.empty_like(like)
    fill(new)
    keep.append(new)
    if new.data_ptr() == like.data_ptr():
        raise HarnessError("the new tensor has the old address")
    return new


def kernel_names(launch: Callable[[], Any]) -> List[str]:
    """Names of the device kernels that one launch runs, by torch's profiler."""
    return sorted({name for _, _, name in traced(launch, cuda())})


def vendor_kernels(names: Sequence[str]) -> List[str]:
    """Those of a vendor's libraries."""
    return [n for n in names if VENDOR.search(n)]

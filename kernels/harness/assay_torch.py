"""For evaluators that measure on a device through PyTorch: a timer, a flush and looks at results; needs torch only when used.

    from assay_harness import Harness, main
    from assay_torch import EventTimer, Flush, plain

    timer, flush = EventTimer(), Flush()
    h.measure(w, launches, prepare=..., verify=..., flush=flush, timer=timer)
    timer.check()
    for text in timer.notes():
        h.note(text)

Each leg carries the SM clock and each block is followed by the state of the device, as far as the driver tells
(assay_nvml.py).

What is caught here and nowhere else: work on a stream that the events do not see (E1), results that are computed when
they are read (E2), cache lines that survive a flush (E13), library kernels (E14), graphs that replay old pointers (E23:
give `prepare` tensors from `elsewhere`).
"""

from __future__ import annotations

import ctypes
import re
from typing import Any, Callable, List, Mapping, Optional, Sequence

from assay_guard import Tampered
from assay_harness import HarnessError, Timer, WrongResult
from assay_nvml import Nvml

# Names of kernels that come from a vendor's libraries and not from the one that is asked for.
VENDOR = re.compile(r"cublas|cudnn|cutlass|nvjet|xmma|ampere_|hopper_|sm\d\d_xmma|volta_|turing_|mcblas|maca_blas|rocblas", re.I)


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

    def time(self, launch: Callable[[], Any], launches: int, sync: Optional[Callable[[], Any]] = None) -> float:
        """Nanoseconds between two events around the launches, and whatever the device still does after the second."""
        window = self.window(launch, launches)
        self.device.synchronize()
        start, end = self.device.Event(enable_timing=True), self.device.Event(enable_timing=True)
        self.hold()
        start.record()
        window()
        end.record()
        end.synchronize()
        stopped = self.now(self.clock)
        self.device.synchronize()
        left = float(self.now(self.clock) - stopped)
        ns = float(start.elapsed_time(end)) * 1e6
        self.seen += 1
        if left > 0.1 * ns + 50e3:
            self.late += 1
            self.worst_ns = max(self.worst_ns, left)
            return ns + left
        return ns

    def window(self, launch: Callable[[], Any], launches: int) -> Callable[[], Any]:
        """What stands between the events."""

        def run() -> None:
            for _ in range(launches):
                launch()

        return run

    def hold(self) -> None:
        """Called right before the start event is recorded."""

    def forget(self) -> None:
        """Called when a workload is done."""

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
        """What the record should tell once: why the state of the device is not known."""
        return [self.state.problem] if self.state.problem else []

    def check(self) -> None:
        """Raises Tampered when the device worked on after the stop event in a good part of the windows, which two subjects share."""
        if self.seen >= 4 and self.late * 4 > self.seen:
            raise Tampered(f"the device works on after the stop event, up to {self.worst_ns / 1e3:.0f} us: launches use a "
                           "stream that the events do not see")


class Rotation:
    """Launches over several sets of buffers in turn; `used` is how many of them the last window touched."""

    def __init__(self, launches: Sequence[Callable[[], Any]]) -> None:
        self.launches, self.turn, self.used = list(launches), 0, 0

    def __call__(self) -> None:
        self.launches[self.turn]()
        self.turn = (self.turn + 1) % len(self.launches)


class GraphTimer(EventTimer):
    """Device events around recorded launches that queue up behind a kernel that waits.

    The host's work for a launch, which takes longer than a small kernel, is then in no window: launches are recorded
    once and replayed in portions, and the first of them is in the queue before the start event is reached. Contents of
    buffers may change between windows, addresses may not.
    """

    PORTION = 64
    # Cycles of the waiting kernel: some tens of microseconds, enough to queue up events and a replay.
    HOLD_CYCLES = 100_000

    def __init__(self, device: Optional[Any] = None, state: Optional[Any] = None) -> None:
        super().__init__(device, state)
        self.name = "device_event_graph"
        self._graphs: List[Any] = []
        self._pool: Any = None

    def overhead(self, sync: Optional[Callable[[], Any]]) -> float:
        """Nanoseconds between two events with nothing between them."""
        return min(EventTimer.time(self, _nothing, 1, sync) for _ in range(3))

    def window(self, launch: Callable[[], Any], launches: int) -> Callable[[], Any]:
        """The recorded launches, so many of them."""
        if launch is _nothing:
            return _nothing
        sets = len(launch.launches) if isinstance(launch, Rotation) else 1
        if isinstance(launch, Rotation):
            launch.used = min(sets, launches)
        # A whole number of turns, so that the next portion goes on where this one ends.
        portion = sets * -(-self.PORTION // sets)
        whole, rest = divmod(launches, portion)
        graphs = [self._recorded(launch, portion)] * whole + ([self._recorded(launch, rest)] if rest else [])

        def run() -> None:
            for graph in graphs:
                graph.replay()

        return run

    def hold(self) -> None:
        """Keeps the device busy while the window is queued up."""
        self.device._sleep(self.HOLD_CYCLES)

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


def _nothing() -> None:
    """A launch of nothing."""


class Zoned:
    """A tensor between zones of NaN: `tensor`, and `intact()` after others have written to it."""

    def __init__(self, shape: Sequence[int], dtype: Any, device: Any = "cuda", zone: int = 4096) -> None:
        import torch

        count = 1
        for dim in shape:
            count *= dim
        whole = torch.full((count + 2 * zone,), float("nan") if dtype.is_floating_point else 77, dtype=dtype, device=device)
        self.zones = (whole[:zone], whole[zone + count:])
        self.tensor = whole[zone:zone + count].view(*shape)
        self.of_float = dtype.is_floating_point

    def intact(self) -> bool:
        """Whether the zones are as they were."""
        return all(bool((z.isnan() if self.of_float else z == 77).all()) for z in self.zones)


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
    import torch
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as seen:
        launch()
        cuda().synchronize()
    events = [e for e in seen.events() if e.device_type == torch.autograd.DeviceType.CUDA]
    return sorted({e.name for e in events})


def vendor_kernels(names: Sequence[str]) -> List[str]:
    """Those of a vendor's libraries."""
    return [n for n in names if VENDOR.search(n)]

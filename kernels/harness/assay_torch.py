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
        self.device.synchronize()
        start, end = self.device.Event(enable_timing=True), self.device.Event(enable_timing=True)
        start.record()
        for _ in range(launches):
            launch()
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

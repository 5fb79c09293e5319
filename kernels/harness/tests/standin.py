"""Runs an evaluator that is written for a device of torch on the host: python3 standin.py EVALUATE.py [KERNELS.py]

Tensors on `cuda` lie in the host's memory, events read the host's clock, recorded launches are called again. KERNELS.py
gives `entry(path, symbol)`, a function on such tensors, in the place of a library's, or `install()`, which puts its
kernels where they belong. What is tested this way is the evaluator: what it draws, compares and answers. No figure of it
says anything of a device.
"""

import importlib.util
import os
import runpy
import sys
import time

import torch
from torch.overrides import TorchFunctionMode


class Host(TorchFunctionMode):
    """Puts what is asked for on `cuda` into the host's memory."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if str(kwargs.get("device")).startswith("cuda"):
            kwargs["device"] = "cpu"
        return func(*args, **kwargs)


class Event:
    def __init__(self, enable_timing=False):
        self.at = 0

    def record(self):
        self.at = time.perf_counter_ns()

    def synchronize(self):
        pass

    def query(self):
        return False

    def elapsed_time(self, end):
        return (end.at - self.at) / 1e6


class Recorded:
    """Launches that are called again."""

    def __init__(self, launch, launches):
        self.launch, self.launches = launch, launches

    def replay(self):
        if hasattr(self.launch, "turn"):
            self.launch.turn = 0
        for _ in range(self.launches):
            self.launch()


class Properties:
    name, L2_cache_size, shared_memory_per_block_optin, multi_processor_count, warp_size, uuid = "stand-in", 1 << 16, 232448, 2, 32, ""
    pci_bus_id = pci_device_id = pci_domain_id = 0


def install():
    """Makes `torch.cuda` the stand-in."""
    draws = torch.Generator
    torch.Generator = lambda device=None: draws()
    cuda = torch.cuda
    cuda.is_available = lambda: True
    cuda.current_device = lambda: 0
    cuda.get_device_properties = lambda index=0: Properties
    cuda.synchronize = cuda.empty_cache = lambda *_: None
    cuda._sleep = lambda cycles: None
    cuda.Event = Event
    Host().__enter__()


def main():
    """Installs the stand-in and becomes the evaluator."""
    install()
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    import assay_tilelang
    import assay_torch

    assay_torch.traced = lambda window, device: window() or []
    assay_torch.GraphTimer._recorded = lambda self, launch, launches: Recorded(launch, launches)
    if len(sys.argv) > 2:
        spec = importlib.util.spec_from_file_location("standin_kernels", sys.argv[2])
        kernels = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(kernels)
        if hasattr(kernels, "entry"):
            assay_tilelang.entry = kernels.entry
        else:
            kernels.install()
    sys.argv = sys.argv[1:2]
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()

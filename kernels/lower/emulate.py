"""Runs sources that TileLang lowered for CUDA on the host (emulate.h), with torch tensors on the CPU; needs a C++ compiler.

For correctness where there is no device: layouts, edges, guards, pipelines. What TMA and wgmma do is not known here.
"""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
from typing import Any, Dict, List, Optional, Sequence

HERE = os.path.dirname(os.path.abspath(__file__))
SIGNATURE = re.compile(r'extern "C" __global__ void __launch_bounds__\(([^)]*)\) (\w+)\(([^)]*)\) \{')


class Refused(Exception):
    """A source that cannot be run here; the message says why."""


def compiler() -> Optional[str]:
    """A C++ compiler, or nothing."""
    return os.environ.get("CXX") or shutil.which("g++") or shutil.which("clang++")


class Kernel:
    """One kernel of one source, called with tensors in the order of the program's parameters."""

    def __init__(self, source: str, order: Sequence[str], grid: Sequence[int], threads: int, shared: int, folder: str) -> None:
        found = SIGNATURE.findall(source)
        if len(found) != 1:
            raise Refused(f"the source has {len(found)} kernels, and one is run at a time")
        _, name, parameters = found[0]
        self.types = [p.strip().rsplit(" ", 1) for p in parameters.split(",")]
        if any("CUtensorMap" in kind for kind, _ in self.types):
            raise Refused("the kernel loads tiles by TMA")
        self.order, self.grid, self.threads, self.shared = list(order), list(grid), threads, shared
        self.source = source
        self.library = ctypes.CDLL(self._build(source, name, folder))

    def _build(self, source: str, name: str, folder: str) -> str:
        body = source[source.index('extern "C" __global__'):]
        body = re.sub(r"extern\s+__shared__[^;]*buf_dyn_shmem\[\];", "", body)
        pass_on = ", ".join(f"({kind.replace('__restrict__', '').strip()})arguments[{i}]" for i, (kind, _) in enumerate(self.types))
        text = (f'#include "{os.path.join(HERE, "emulate.h")}"\n{body}\nstatic void **arguments;\n'
                f"static void call() {{ {name}({pass_on}); }}\n"
                'extern "C" int run(void **a, unsigned gx, unsigned gy, unsigned threads, unsigned shared) {\n'
                "  arguments = a;\n  return emulate(call, gx, gy, threads, shared);\n}\n")
        path = os.path.join(folder, f"{name}-{len(os.listdir(folder))}")
        with open(path + ".cc", "w", encoding="utf-8") as f:
            f.write(text)
        command = [compiler() or "g++", "-std=c++17", "-O1", "-w", "-fno-strict-aliasing", "-fpermissive", "-shared", "-fPIC",
                   path + ".cc", "-o", path + ".so"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise Refused(f"the source cannot be compiled for the host: {done.stderr[:600]}")
        return path + ".so"

    def __call__(self, *tensors: Any) -> None:
        given: Dict[str, Any] = dict(zip(self.order, tensors))
        pointers = (ctypes.c_void_p * len(self.types))(*[given[name].data_ptr() for _, name in self.types])
        code = self.library.run(pointers, *self.grid, self.threads, self.shared)
        if code:
            raise RuntimeError({1: "emulate: a launch of this kind is not offered",
                                2: "emulate: the kernel wrote shared memory that it was not given"}[code])


def kernel(program: Any, target: Dict[str, str], configs: Optional[Dict[str, Any]], folder: str) -> Kernel:
    """Lowers a TileLang program and builds it for the host."""
    import tilelang
    from tilelang import tvm

    goal = tvm.target.Target(target)
    with goal, tvm.transform.PassContext(opt_level=3, config=configs or {}):
        artifact = tilelang.lower(program, target=goal)
    functions: List[Any] = list(artifact.device_mod.functions.values())
    if len(functions) != 1:
        raise Refused("the program is of several kernels")
    extents = dict(functions[0].attrs["thread_extent"])
    order = [str(program.buffer_map[p].name) for p in program.params]
    grid = [int(extents.get(f"blockIdx.{axis}", 1)) for axis in "xy"]
    shared = int(functions[0].attrs.get("dyn_shared_memory_buf") or 0)
    return Kernel(artifact.kernel_source, order, grid, int(extents["threadIdx.x"]), shared, folder)

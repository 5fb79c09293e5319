"""Stand-in for MetaX's fork of TileLang, for tests only: see ../../README.md.

It lowers nothing: the source that it gives names the shapes and the settings that a program closes over, in the form that
generated sources of the target `maca` have. What it compiles goes through `mxcc` into the folder of the cache that is
documented.
"""
import hashlib
import inspect
import os
import subprocess

# As builds for MACA have called themselves.
__version__ = "0.1.10+cuda.gitf549117c"

HERE = os.path.dirname(os.path.abspath(__file__))
# How wide a thread loads, by the elements of `coalesced_width`.
LOADS = {0: "uint4", 8: "uint4", 4: "uint2", 2: "uint", 1: "half_t"}
# Without a part in what is lowered here.
UNUSED = ("dispatch", "pass_config")


class Compiled:
    """A compiled kernel, as far as it is asked for its sources."""

    def __init__(self, program):
        of = inspect.getclosurevars(program).nonlocals
        self.settings, self.shape = of["s"], {name: of[name] for name in ("M", "N", "K")}
        self.name = program.__name__ + "_kernel"

    def get_kernel_source(self):
        s, load = self.settings, LOADS[self.settings["a_width"]]
        knobs = " ".join(f"{k}={v}" for k, v in sorted(s.items()) if k not in UNUSED)
        mma = "__builtin_mxc_mma_16x16x16f16(*(((float16x4*)B)+{0}), *(((float16x4*)A)+{0}), *(((float32x4*)acc)+{0}))"
        body = [f"  *(((float32x4*)acc)+{i}) = {mma.format(i)};" for i in range(2)]
        return "\n".join([
            "#include <tl_templates/maca/gemm.h>", "#include <tl_templates/maca/copy.h>",
            f"// {knobs}",
            f"// standin: mt=128 st=40 stack=0 shared={2 * s['block_k'] * (s['block_m'] + s['block_n'])}",
            f'extern "C" __global__ void __launch_bounds__({s["threads"]}, 1) {self.name}(const half_t* __restrict__ A, '
            "const half_t* __restrict__ B, half_t* __restrict__ C) {",
            "  extern __shared__ __align__(1024) uchar buf_dyn_shmem[];",
            f"  const int M = {self.shape['M']}, N = {self.shape['N']}, K = {self.shape['K']};",
            f"  *({load}*)(buf_dyn_shmem) = *({load}*)(A + threadIdx.x);", "  __syncthreads();", *body, "}", ""])

    def get_host_source(self):
        s, d = self.settings, self.shape
        grid = -(-d["N"] // s["block_n"]), -(-d["M"] // s["block_m"])
        return f"launch {self.name} grid {grid[0]} {grid[1]} 1 block {s['threads']} 1 1\n"


def compile(program, target=None, pass_configs=None):
    """A compiled kernel; what was compiled before lies in the cache."""
    if target != "maca":
        raise ValueError(f"stand-in: no target {target!r}; this one has maca")
    kernel = Compiled(program)
    source = kernel.get_kernel_source()
    key = hashlib.sha256(f"{source}{kernel.get_host_source()}{pass_configs}".encode()).hexdigest()
    folder = os.path.join(os.environ["TILELANG_CACHE_DIR"], "kernels", key)
    library = os.path.join(folder, "kernel_lib.so")
    if not os.path.exists(library):
        os.makedirs(folder, exist_ok=True)
        for name, text in (("device_kernel.cu", source), ("host_kernel.cu", kernel.get_host_source())):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                f.write(text)
        words = ["mxcc", "-x", "maca", "-w", "-std=c++17", "-fPIC", "-D__FAST_HALF_CVT__", "--offload-arch=xcore1000", "--shared",
                 "-I" + os.path.join(HERE, "src"), os.path.join(folder, "device_kernel.cu"), "-o", library]
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode:
            raise RuntimeError(f"Compilation Failed! {words}\n{done.stdout.decode(errors='replace')}\n{source}")
    return kernel

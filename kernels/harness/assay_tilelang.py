"""For campaigns of TileLang kernels: lowers, builds into libraries, and loads those again; needs tilelang only when used.

    kernels = [Kernel("small", func, {"mapping": "generic", "config": {...}})]
    build(kernels, os.environ["ASSAY_BUILD"])       # in the build stage: a variant's Python runs here and nowhere else
    Built(h, subject).launch("small")(a, b, c)      # in check and bench: only what was built
    answer(h, w, {w.name: tried(...), ...})         # `Fence` for one checked launch, `Sets` for what a bench measures

A build leaves in its folder `kernels.json` (what was built, with hashes), one library and one generated source for each
kernel, `kernel.cu` (all sources in one file, for the source stage) and `kernels.so` (the artefact: an ELF file that
holds all libraries, so that its identity is that of all code). Code for the target `cuda` was run; that for `maca` goes
the same way and was not.
"""

from __future__ import annotations

import concurrent.futures
import hashlib
import json
import math
import os
import re
import subprocess
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from assay_harness import Harness, HarnessError, LaunchFailure, Subject, Workload
from assay_torch import Rotation, Zoned, cuda

MANIFEST, ARTEFACT, SOURCE = "kernels.json", "kernels.so", "kernel.cu"
# What the generated source calls to wait for other threads of a block.
BARRIER = re.compile(r"__syncthreads\s*\(|__syncwarp\s*\(|__sync_thread_partial|named_barrier\w*\s*\(")


class Kernel:
    """One kernel to build: `name`, the TileLang function, and `facts` for the manifest (mapping, config, outputs)."""

    def __init__(self, name: str, func: Any, facts: Optional[Mapping[str, Any]] = None,
                 pass_configs: Optional[Mapping[str, Any]] = None) -> None:
        self.name, self.facts, self.pass_configs = name, dict(facts or {}), dict(pass_configs or {})
        self.symbol = re.sub(r"\W", "_", name)
        # Its own symbol, so that all sources fit into one file and a profile tells them apart.
        self.func = func.with_attr("global_symbol", self.symbol)


class Built:
    """What was built of one subject; the code is held against the artefact that the runner knows."""

    def __init__(self, h: Harness, subject: Subject) -> None:
        self.subject, self.manifest = subject, manifest_of(subject.folder)
        self.reference = str(self.manifest.get("reference", ""))
        self.kernels = {str(k["name"]): k for k in self.manifest["kernels"]}
        self._artefact = _read(subject.artefact)
        h.loaded(subject)

    def launch(self, name: str) -> Optional[Callable[..., Any]]:
        """`launch(*tensors)` of the kernel `name`, on the current stream of torch; None where there is no such kernel."""
        if name not in self.kernels:
            return None
        path = os.path.join(self.subject.folder, self.kernels[name]["library"])
        if _read(path) not in self._artefact:
            raise LaunchFailure(f"{path} is not what was built: build {self.subject.id} again")
        return entry(path, self.kernels[name]["symbol"])


class Fence:
    """Operands and results of one checked launch between zones: what it wrote where it should not, or left unlike it was."""

    def __init__(self) -> None:
        self.zones: List[Zoned] = []
        self.read: List[Tuple[Any, Any]] = []

    def make(self, dims: Sequence[int], dtype: Any, device: Any = "cuda") -> Any:
        """A tensor between zones."""
        self.zones.append(Zoned(dims, dtype, device))
        return self.zones[-1].tensor

    def keep(self, *tensors: Any) -> List[Any]:
        """Copies of what the launch may only read."""
        copies = [t.clone() for t in tensors]
        self.read += zip(tensors, copies)
        return copies

    def wrong(self, units: float) -> str:
        """What is wrong after the launch, or an empty text; `units` is its error in units of what is allowed."""
        import torch

        if not all(torch.equal(tensor, copy) for tensor, copy in self.read):
            return "changes its inputs"
        if not all(zone.intact() for zone in self.zones):
            return "writes outside the output"
        return "" if units <= 1 else f"wrong by {units:.3g} times what is allowed"


def answer(h: Harness, w: Workload, found: Mapping[str, Optional[Tuple[float, float, str]]]) -> None:
    """The check answer of a workload whose kernel was tried in several cases: difference, error in units, what is wrong.

    A case without a kernel is None; the workload itself must have one. The worst of all cases is answered.
    """
    subject = h.subjects[0]
    if found[w.name] is None:
        raise HarnessError(f"{subject.id} has no kernel for {w.name}: build it again")
    told = {name: f for name, f in found.items() if f is not None}
    worst = [max((f[i] for f in told.values()), key=lambda v: math.inf if math.isnan(v) else v) for i in (0, 1)]
    wrong = "; ".join(f"{name}: {f[2]}" for name, f in told.items() if f[2])
    h.check(w, subject, max_abs_error=worst[0], max_rel_error=worst[1], ok=not wrong, detail=wrong)


class Sets:
    """One workload for all subjects of a bench: sets of operands in turn that they share, and outputs of their own.

    A subclass says how a set gets contents that were never seen (`refresh`), and by how much an output is off in units of
    what is allowed (`units`).
    """

    def __init__(self, h: Harness, w: Workload, most: int, draw: Callable[[], Any], out: Callable[[], Any],
                 launch: Callable[[Subject, Any, Any], Optional[Callable[[], Any]]]) -> None:
        size = getattr(cuda().get_device_properties(0), "L2_cache_size", 0) or 8 << 20
        # So many sets that a rotation goes through twice the last-level cache, where that many are allowed.
        count = max(2, min(most, 1 + math.ceil(2 * size / max(1, w.bytes or 1)))) if h.cache == "rotating" else 1
        self.sets = [draw() for _ in range(count)]
        self.outs: Dict[str, List[Any]] = {}
        self.launches: Dict[str, Rotation] = {}
        for subject in h.subjects:
            outs = [out() for _ in self.sets]
            launches = [launch(subject, given, o) for given, o in zip(self.sets, outs)]
            if None in launches:
                raise HarnessError(f"{subject.id} has no kernel for {w.name}: build it again")
            self.outs[subject.id], self.launches[subject.id] = outs, Rotation([one for one in launches if one])

    def refresh(self, given: Any) -> None:
        """Contents that were never seen."""
        raise NotImplementedError

    def units(self, given: Any, out: Any) -> float:
        """The largest error of an output, in units of what is allowed."""
        raise NotImplementedError

    def prepare(self, subject: str) -> None:
        """New contents, and poisoned outputs."""
        for given in self.sets:
            self.refresh(given)
        for out in self.outs[subject]:
            out.fill_(float("nan"))

    def verify(self, subject: str) -> Any:
        """Compares all elements of all outputs that the window wrote."""
        for number in range(self.launches[subject].used):
            units = self.units(self.sets[number], self.outs[subject][number])
            if not units <= 1:
                return f"a timed launch is wrong by {units:.3g} times what is allowed"
        return True


def target(name: Optional[str] = None) -> Any:
    """The target `name`, else `TILELANG_TARGET`, else `cuda`; for CUDA with the architecture of the first device.

    `CUDA_ARCH` names another one; without it and without a device it is `sm_90a`.
    """
    name = name or os.environ.get("TILELANG_TARGET") or "cuda"
    if name != "cuda":
        return name
    arch = os.environ.get("CUDA_ARCH")
    if not arch:
        import torch

        major, minor = torch.cuda.get_device_capability() if torch.cuda.is_available() else (9, 0)
        arch = f"sm_{major}{minor}"
    # What is only in one architecture (wgmma, the copy engine) has to be asked for.
    if re.fullmatch(r"sm_(9|1\d)\d", arch):
        arch += "a"
    return {"kind": "cuda", "arch": arch}


def lower(kernel: Kernel, to: Any = None) -> str:
    """The generated device source; neither a device nor its compiler is needed."""
    from tilelang import tvm
    from tilelang.engine.lower import lower as run

    where = tvm.target.Target(target() if to is None else to)
    with tvm.transform.PassContext(opt_level=3, config=dict(kernel.pass_configs)), where:
        return str(run(kernel.func, target=where).kernel_source)


def compiled(kernel: Kernel, folder: str, where: Any) -> Dict[str, Any]:
    """Compiles one kernel into `folder`: its library and its source; gives what the manifest says of it."""
    import tilelang

    done = tilelang.compile(kernel.func, target=where, execution_backend="tvm_ffi", pass_configs=kernel.pass_configs or None)
    path = os.path.join(folder, kernel.symbol + ".so")
    done.export_library(path)
    source = done.get_kernel_source()
    with open(os.path.join(folder, kernel.symbol + ".cu"), "w", encoding="utf-8") as f:
        f.write(source)
    return {"name": kernel.name, "symbol": kernel.symbol, "library": os.path.basename(path),
            "library_sha256": _sha256(_read(path)), "source": kernel.symbol + ".cu", **source_facts(source), **kernel.facts}


def build(kernels: Sequence[Kernel], folder: str, to: Any = None, jobs: Optional[int] = None) -> Dict[str, Any]:
    """Compiles all kernels side by side into `folder` and gives the manifest."""
    import tilelang

    where = target() if to is None else to
    if len({k.symbol for k in kernels}) != len(kernels):
        raise ValueError("two kernels have one name")
    with concurrent.futures.ThreadPoolExecutor(max_workers=workers(jobs)) as pool:
        built = list(pool.map(lambda kernel: compiled(kernel, folder, where), kernels))
    manifest = {"tilelang": tilelang.__version__, "target": where, "kernels": built}
    _finish(folder, manifest)
    with open(os.path.join(folder, SOURCE), "w", encoding="utf-8") as f:
        f.write(joined([_read(os.path.join(folder, k["source"])).decode() for k in built]))
    return manifest


def workers(jobs: Optional[int] = None) -> int:
    """How many kernels are compiled side by side."""
    return max(1, jobs or int(os.environ.get("ASSAY_JOBS") or os.cpu_count() or 1))


def declare(folder: str, reference: str) -> None:
    """Builds a baseline that has no code of its own: `reference` names a function of the evaluator."""
    _finish(folder, {"reference": reference, "kernels": []})


def source_facts(source: str) -> Dict[str, Any]:
    """Hash, size, barriers and launch bounds of a generated source."""
    bounds = re.search(r"__launch_bounds__\((\d+)", source)
    return {"source_sha256": _sha256(source.encode()), "source_bytes": len(source.encode()),
            "barriers": len(BARRIER.findall(source)), "threads": int(bounds.group(1)) if bounds else None}


def joined(sources: Sequence[str]) -> str:
    """Generated sources as one file: what stands before the first kernel once, then all kernels."""
    mark = 'extern "C" __global__'
    heads: List[str] = []
    bodies = []
    for source in sources:
        head, found, body = source.partition(mark)
        heads += [line for line in head.splitlines() if line.startswith("#include") and line not in heads]
        bodies.append(found + body)
    return "\n".join(heads) + "\n\n" + "\n".join(bodies)


def manifest_of(folder: str) -> Dict[str, Any]:
    """What a build left in `folder`."""
    return dict(json.loads(_read(os.path.join(folder, MANIFEST))))


def entry(path: str, symbol: str) -> Callable[..., Any]:
    """The function `symbol` of a library; it launches on the current stream of torch."""
    from tilelang import tvm

    try:
        return tvm.runtime.load_module(path)[symbol]
    except Exception as e:
        raise LaunchFailure(f"{path}: {e}") from None


def _finish(folder: str, manifest: Mapping[str, Any]) -> None:
    """Writes the manifest, and the artefact around all libraries."""
    with open(os.path.join(folder, MANIFEST), "w", encoding="utf-8") as f:
        json.dump(manifest, f, indent=1, sort_keys=True)
        f.write("\n")
    lines = [".text", ".globl assay_bundle", "assay_bundle: .byte 0", ".section .rodata"]
    lines += [f'.incbin "{k["library"]}"' for k in manifest["kernels"]]
    lines += [f'.asciz "{manifest.get("reference", "")}"', '.section .note.GNU-stack,"",%progbits']
    with open(os.path.join(folder, "bundle.s"), "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-nostdlib", "-Wl,--build-id=none", "-o", ARTEFACT, "bundle.s"],
                   cwd=folder, check=True)


def _read(path: str) -> bytes:
    with open(path, "rb") as f:
        return f.read()


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()

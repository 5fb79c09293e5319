"""A subject as it was built: its modules, its compiled programs, its settings."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import sys
from typing import Any, Dict, List, Optional

# Compiled Python beside what was built would be a change of it: the runner holds a build against what it was.
sys.dont_write_bytecode = True


def module(folder: str, name: str) -> Any:
    """A module of the kernel folder of a subject. Two subjects have modules of the same names: none stays behind."""
    path = os.path.join(folder, "kernel")
    sys.path.insert(0, path)
    kept = {other: sys.modules.pop(other) for other in _of(path, own=False)}
    try:
        return importlib.import_module(name)
    finally:
        for other in _of(path, own=True):
            del sys.modules[other]
        sys.modules.update(kept)
        sys.path.remove(path)


def _of(path: str, own: bool) -> List[str]:
    """Modules that are loaded under a name that the kernel folder has: its own, or all."""
    names = {entry[:-3] for entry in os.listdir(path) if entry.endswith(".py")}
    loaded = [name for name in names if name in sys.modules]
    if not own:
        return loaded
    return [name for name in loaded if str(getattr(sys.modules[name], "__file__", "")).startswith(path + os.sep)]


def version() -> str:
    """The version of TileLang."""
    import tilelang

    return str(tilelang.__version__)


def goal(target: str) -> Any:
    """The target as TileLang is told it; `maca` is a target kind of MetaX's fork. CUDA_ARCH names another chip than the one here."""
    arch = os.environ.get("CUDA_ARCH")
    return {"kind": "cuda", "arch": arch} if target == "cuda" and arch else target


def compiled(folder: str, program: Any, target: str, configs: Dict[str, Any]) -> Any:
    """A callable kernel. What was compiled before lies in the cache of the subject's folder."""
    import tilelang

    os.environ["TILELANG_CACHE_DIR"] = os.path.join(folder, "cache")
    return tilelang.compile(program, target=goal(target), pass_configs=configs or None)


def kept(folder: str) -> int:
    """How many compiled libraries lie in the cache of a subject: those that are missing would be compiled at each start."""
    names, found = ("executable.so", "kernel_lib.so", "kernel.cubin", "kernel.py"), 0
    for path, _, files in os.walk(os.path.join(folder, "cache")):
        found += os.path.basename(os.path.dirname(path)) == "kernels" and any(name in files for name in names)
    return found


def host_source(kernel: Any) -> str:
    """Source of the host side: grid and dynamic shared memory stand there. Empty where this TileLang does not give it."""
    try:
        return str(kernel.get_host_source())
    except Exception:
        return ""


class Wrong(Exception):
    """What was loaded is not what was built."""


class Built:
    """What `build.py` left in a folder."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.about = self._read("build.json")
        self.listed = self._read("kernels.json")
        self.baseline: Optional[str] = self.about.get("baseline")
        self.layer, self.target = self.about["layer"], self.about["target"]
        self.settings: Dict[str, Any] = self.about.get("settings", {})
        self.layers = None if self.baseline else module(folder, "layers")

    def _read(self, name: str) -> Dict[str, Any]:
        with open(os.path.join(self.folder, name), encoding="utf-8") as f:
            return json.load(f)

    def kernels(self, workload: str, dims: Dict[str, int]) -> Dict[str, Any]:
        """The kernels of a workload, each held against the source that was built."""
        assert self.layers is not None
        hashes = {row["kernel"]: row["sha256"] for row in self.listed["kernels"] if row["workload"] == workload}
        if not hashes:
            raise Wrong(f"workload {workload} was not built; the campaign file changed after the build")
        configs, out = self.layers.configs(self.settings, self.target, self.layer), {}
        for name, program in self.layers.programs(self.settings, self.target, self.layer, dims).items():
            kernel = compiled(self.folder, program, self.target, configs)
            if hashlib.sha256(kernel.get_kernel_source().encode()).hexdigest() != hashes.get(name):
                raise Wrong(f"kernel {name} of {workload} has another source than the one that was built")
            out[name] = kernel
        return out

    def source(self) -> str:
        """The sources of the GEMMs of the first workload."""
        with open(os.path.join(self.folder, "kernel.cu"), encoding="utf-8") as f:
            return f.read()

"""For campaigns on MetaX cards: what mxcc says of the resources of a generated source, for the log of a build.

    print(usage("kernel.cu"), file=sys.stderr)

Assay reads `maca info` lines in the log: registers, shared memory and the stack frame, which is the only sign of spilled
registers. The command line is the one that MetaX's fork of TileLang compiles its libraries with. It was run with a program
that stands in for mxcc, and not on a card.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import tempfile
from typing import List, Optional

# As TileLang's library generator has them, and the option that prints resources.
FLAGS = ("-x", "maca", "-w", "-std=c++17", "-fPIC", "-D__FAST_HALF_CVT__", "--shared", "-resource-usage")
TEMPLATES = os.path.join("tl_templates", "maca")


def includes() -> List[str]:
    """Folders that hold `tl_templates/maca`: below the package of tilelang, which is not imported, or beside it."""
    found = importlib.util.find_spec("tilelang")
    if found is None or not found.origin:
        return []
    package = os.path.dirname(found.origin)
    places = [os.path.join(package, "src"), os.path.join(os.path.dirname(package), "src")]
    return [place for place in places if os.path.isdir(os.path.join(place, TEMPLATES))]


def command(source: str, out: str, arch: Optional[str] = None, folders: Optional[List[str]] = None) -> List[str]:
    """The command line; `arch` is `MACA_ARCH`, else that of the C500."""
    arch = arch or os.environ.get("MACA_ARCH") or "xcore1000"
    inside = [f"-I{folder}" for folder in (includes() if folders is None else folders)]
    return ["mxcc", *FLAGS, f"--offload-arch={arch}", *inside, source, "-o", out]


def usage(source: str, arch: Optional[str] = None, folders: Optional[List[str]] = None) -> str:
    """What mxcc prints of the kernels in `source`; where it cannot, one line that says why: resources are then not known."""
    if shutil.which("mxcc") is None:
        return "resources are not known: there is no mxcc in PATH"
    # With CXX set, mxcc looks for its own headers elsewhere: `__macro_mxcc.h` not found.
    env = {name: value for name, value in os.environ.items() if name != "CXX"}
    with tempfile.TemporaryDirectory() as folder:
        words = command(source, os.path.join(folder, "kernel.so"), arch, folders)
        done = subprocess.run(words, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    said = done.stdout.decode(errors="replace")
    if done.returncode:
        return f"resources are not known: mxcc ended with {done.returncode}\n{said}"
    return said

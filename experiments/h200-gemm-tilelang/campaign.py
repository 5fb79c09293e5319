#!/usr/bin/env python3
"""The whole loop of gemm-tilelang on the device of this machine, in one or more sessions.

usage: campaign.py ASSAY OUT SECONDS            the dense campaign, from builds to reports
       campaign.py ASSAY OUT SECONDS --prepare  as far as nothing is timed: repository, variants, builds
       campaign.py ASSAY OUT SECONDS --layers   the other layers: build, source, check, gates

OUT/gemm.tar.gz holds everything; with RESUME=FOLDER that has it, a later session goes on from there. The dense campaign
leaves out the workload of 131072 rows, which takes ten seconds a process. Python 3.12, git, torch, TileLang, nvcc and a
device. Devices are called by pseudonyms in what is written.
"""

import re
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from lab import KERNELS, ROOT, Clock, Lab  # noqa: E402
from loop import loop  # noqa: E402

CAMPAIGN = KERNELS / "gemm-tilelang"
LEFT_OUT = "moe-131072x2048x7168"
# In this order; what others begin with is held against the vendor's product first.
MEASURED = ["cshared-swizzle256", "cshared-swizzle128", "b-interleave4", "pipeline3", "dispatch-unused", "no-barriers", "shared-beyond",
            "wgmma", "wgmma-128x256", "wgmma-stages4"]
MORE = {
    "cshared-swizzle256": {"root": True, "against": "torch", "calibrate": True},
    "dispatch-unused": {"against": "pipeline3", "control": "control, the source of its parent"},
    "no-barriers": {"control": "control, wrong by design"},
    "shared-beyond": {"control": "control, more shared memory than a block may have"},
}
PROFILED = ["cshared-swizzle256", "pipeline3", "wgmma"]
LAYERS = ("grouped", "gate-up", "swiglu", "moe")


def start(layer: str):
    """Fills a repository with the campaign of a layer."""
    def make(repo: Path) -> None:
        subprocess.run([sys.executable, str(CAMPAIGN / "start"), layer, str(repo)], check=True, stdout=subprocess.DEVNULL)
        file = repo / "assay.toml"
        head, *blocks = re.split(r"(?m)(?=^(?:#[^\n]*\n)?\[\[workload\]\])", file.read_text(encoding="utf-8"))
        if layer == "dense":
            blocks = [b for b in blocks if LEFT_OUT not in b.split("[params]")[0]]
        file.write_text(head + "".join(blocks), encoding="utf-8")
    return make


def history() -> dict:
    """The variants of the campaign by name."""
    rows = tomllib.loads((CAMPAIGN / "history" / "history.toml").read_text(encoding="utf-8"))["variant"]
    return {v["name"]: v for v in rows}


def layers(assay: Path, out: Path, clock: Clock) -> None:
    """Build, source and check of the other layers, all at once: nothing is timed here."""
    row = dict(history()["a-width4"])
    del row["parent"]
    parts = ROOT / "layers"
    labs = [Lab(f"layer-{layer}", assay, parts, clock, start(layer)) for layer in LAYERS]

    def one(lab: Lab) -> None:
        lab.make_variant(row, CAMPAIGN / "history" / row["folder"])
        lab.run("run", row["name"], "--stages", "build,source,check")
        lab.run("show", row["name"], keep=f"show-{row['name']}.txt")

    labs[0].beside([lambda lab=lab: one(lab) for lab in labs], len(labs))
    for lab in labs:
        lab.pack()
    with tarfile.open(out / "layers.tar", "w") as archive:
        archive.add(parts, "layers")


def main() -> None:
    assay, out, clock = Path(sys.argv[1]), Path(sys.argv[2]), Clock(float(sys.argv[3]))
    if "--layers" in sys.argv:
        return layers(assay, out, clock)
    lab = Lab("gemm", assay, out, clock, start("dense"))
    known = history()
    rows = [{**known[name], **MORE.get(name, {})} for name in MEASURED]
    loop(lab, rows, CAMPAIGN / "history", seconds=55, profiled=PROFILED, processes=6, prepare="--prepare" in sys.argv)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Runs the gemm-cuda campaign whole on the device of this machine, and what readings of its state cost.

usage: experiments/h200-conditions/campaign.py ASSAY OUT SECONDS [--heavy] [SAMPLING_COST]

  ASSAY          the program
  OUT            folder for cuda.tar.gz: logs, reports, the exported ledger (with --heavy: heavy.tar.gz)
  SECONDS        no step is begun that would not be done by then; with RESUME=FOLDER that has the archive, a later session goes on
  --heavy        the session of long legs only
  SAMPLING_COST  the example `sampling_cost` of assay-exec, where it was built

Python 3.12, git, nvcc and a device. Devices are called by pseudonyms in what is written.
"""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from lab import KERNELS, Clock, Lab  # noqa: E402
from loop import loop  # noqa: E402

CAMPAIGN = KERNELS / "gemm-cuda"


def make(repo: Path) -> None:
    """Fills a repository with the campaign."""
    shutil.copytree(CAMPAIGN, repo, ignore=shutil.ignore_patterns("history", "tests", "__pycache__"))
    for header in (KERNELS / "harness").glob("assay_*.h"):
        shutil.copy(header, repo / "harness")


def make_heavy(repo: Path) -> None:
    """The same with one large workload in long legs, so that the power limit holds throughout."""
    make(repo)
    path = repo / "assay.toml"
    text = path.read_text(encoding="utf-8")
    first, last = text.index("[[workload]]"), text.index("[[baseline]]")
    block = '[[workload]]\nname = "square-8192"\ndims = { M = 8192, N = 8192, K = 8192 }\ndtype = "f16"\n\n'
    text = text[:first] + block + text[last:].replace("square-4096", "square-8192")
    text = text.replace('min_leg = "10ms"', 'min_leg = "150ms"').replace('warmup = "60ms"', 'warmup = "1500ms"')
    path.write_text(text, encoding="utf-8")
    shutil.copy(CAMPAIGN / "history" / "05-ldmatrix" / "gemm.cu", repo / "kernel" / "gemm.cu")


def campaign(lab: Lab) -> None:
    """All variants of the history, the noise, two profiles, and the champion against the library."""
    rows = tomllib.loads((CAMPAIGN / "history" / "history.toml").read_text(encoding="utf-8"))["variant"]
    rows = [{**row, **({"control": "control"} if "against" in row else {})} for row in rows]
    rows[0] = {**rows[0], "root": True, "calibrate": True}
    rows.append({"name": "ldmatrix", "against": "cublas", "again": True})
    loop(lab, rows, CAMPAIGN / "history", seconds=30, profiled=["wide-loads", "ldmatrix"], processes=12)


def heavy(lab: Lab) -> None:
    """What a power limit does to a comparison, and to the noise."""
    row = {"name": "ldmatrix", "why": "As accepted; here to see what a power limit does to it.", "files": []}
    lab.step("make variants", 5, lambda: lab.make_variant(row, CAMPAIGN))
    lab.step("measure ldmatrix", 120, lambda: lab.run("run", "ldmatrix", "--against", "cublas", "--stages", "build,source,check,bench"))
    lab.step("calibrate", 180, lambda: lab.run("calibrate", "cublas", "--noise", "--processes", "8"))
    lab.finish(["ldmatrix"], [])


def costs(lab: Lab, sampling: str) -> None:
    """What readings of the state cost, while the device rests."""
    if sampling:
        lab.command([sampling, "nvidia", "100"], keep="costs-runner.txt")
    lab.command([sys.executable, "-m", "unittest", "discover", "-s", str(KERNELS / "harness" / "tests"), "-p", "test_nvml.py"])
    program = lab.home / "nvml_cost"
    lab.command(["cc", "-O2", "-I", str(KERNELS / "harness"), str(HERE / "nvml_cost.c"), "-o", str(program), "-ldl", "-lm"])
    lab.command([str(program), bus()], keep="costs.txt")


def bus() -> str:
    return subprocess.run(["nvidia-smi", "--query-gpu=pci.bus_id", "--format=csv,noheader"], text=True, capture_output=True,
                          check=True).stdout.splitlines()[0].strip()


def main() -> int:
    args = [a for a in sys.argv[1:] if not a.startswith("--")]
    if len(args) not in (3, 4):
        print(__doc__, file=sys.stderr)
        return 3
    assay, out, clock = Path(args[0]), Path(args[1]), Clock(float(args[2]))
    if "--heavy" in sys.argv:
        heavy(Lab("heavy", assay, out, clock, make_heavy))
        return 0
    lab = Lab("cuda", assay, out, clock, make)
    lab.step("costs", 30, lambda: costs(lab, args[3] if len(args) == 4 else ""))
    campaign(lab)
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Campaigns of mhc-post-tilelang and matmul-tilelang on the device of this machine, in one or more sessions.

usage: campaign.py ASSAY OUT SECONDS mhc|matmul [--prepare]

`mhc`: both kernels on all 15 workloads against both baselines. `matmul`: points of the space on three workloads. Two blocks
and short legs. OUT/mhc.tar.gz and OUT/matmul.tar.gz hold everything; with RESUME=FOLDER that has them, a later session goes
on from there. With --prepare nothing is timed, and the repository is left for a second call. Python 3.12 with torch and
TileLang, git, nvcc and a device. Devices are called by pseudonyms in what is written.
"""

import re
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from lab import KERNELS, Clock, Lab  # noqa: E402
from loop import loop  # noqa: E402

# Workloads that are kept (all where it is empty), what measuring a variant is thought to take in seconds, the warm-up of each
# workload (a device at its power limit takes long to settle, small copies do not), and the variants:
# name, parameters, what it is measured against ("" for the champion), more, why.
CAMPAIGNS = {
    "mhc": ("mhc-post-tilelang", [], 80, "100ms", [
        ("start", {}, "unoptimized", {"root": True}, "two kernels with a dispatch, nothing staged that is used once"),
        ("start", {}, "torch-ref", {"again": True, "calibrate": True}, "what the framework's operations take"),
        ("rows-64", {"block_b": 64}, "", {}, "blocks of 64 rows amortise the tile of gates"),
        ("threads-256", {"threads": 256}, "", {}, "more threads have more loads on their way"),
    ]),
    "matmul": ("matmul-tilelang", ["K1024", "K4096", "sp24-K4096"], 50, "400ms", [
        ("start", {}, "ref-prog", {"root": True, "calibrate": True}, "128 x 128 tiles, two stages"),
        ("stages-3", {"num_stages": 3}, "", {}, "one more tile on its way hides more of its latency"),
        ("wide", {"block_n": 256, "num_stages": 3, "threads": 256}, "", {}, "tiles of 128 x 256 read A half as often"),
        ("sparse", {"sparse": True}, "start", {}, "the compressed form of A does half of the products"),
        ("no-stage", {"num_stages": 0}, "start", {}, "what the pipeline is worth: without one nothing is copied ahead"),
    ]),
}


def start(folder: str, workloads: list, warmup: str):
    """Fills a repository with a campaign."""
    def make(repo: Path) -> None:
        shutil.copytree(KERNELS / folder, repo, ignore=shutil.ignore_patterns("tests", "golden", "__pycache__"))
        for helper in (KERNELS / "harness").glob("assay_*.py"):
            shutil.copy(helper, repo / "harness")
        (repo / ".gitignore").write_text("__pycache__/\n", encoding="utf-8")
        shorten(repo / "assay.toml", workloads, warmup)
    return make


def shorten(path: Path, names: list, warmup: str) -> None:
    """Leaves these workloads (all where there are none), two blocks and legs of 5 ms."""
    text = path.read_text(encoding="utf-8")
    head, *rest = re.split(r"(?=^\[\[workload\]\]\n)", text, flags=re.M)
    kept = []
    for number, part in enumerate(rest):
        name = re.search(r'^name = "([^"]+)"', part, re.M).group(1)
        body = re.match(r"\[\[workload\]\]\n(?:\w+ = .*\n)+", part).group(0)
        kept.append((body if not names or name in names else "") + (part[len(body):] if number == len(rest) - 1 else "\n"))
    text = head + "".join(kept)
    for key, value in (("blocks", "2"), ("min_leg", '"5ms"'), ("warmup", f'"{warmup}"')):
        text = re.sub(rf"^{key} = .*$", f"{key} = {value}", text, flags=re.M)
    path.write_text(text, encoding="utf-8")


def rows(variants: list) -> list:
    """The variants as rows of a history."""
    return [{"name": name, "why": why, "knobs": params, "params": params, "against": against, "files": [], "folder": ".", **more}
            for name, params, against, more, why in variants]


def main() -> None:
    assay, out, clock, which = Path(sys.argv[1]), Path(sys.argv[2]), Clock(float(sys.argv[3])), sys.argv[4]
    folder, workloads, seconds, warmup, variants = CAMPAIGNS[which]
    lab = Lab(which, assay, out, clock, start(folder, workloads, warmup))
    loop(lab, rows(variants), HERE, seconds=seconds, profiled=["start"], processes=4, limit=2.5 * seconds,
         prepare="--prepare" in sys.argv)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Small campaigns of mhc-post-tilelang and matmul-tilelang on the device of this machine.

usage: experiments/h200-tilelang/campaign.py ASSAY OUT [SECONDS] [--prepare]

  ASSAY      the program
  OUT        folder for logs
  SECONDS    no further pair is started after so many
  --prepare  builds and checks only, and leaves the repositories for a second call

A few workloads of each campaign, two blocks and short legs, so that both fit into minutes. Python 3.11 with torch and
TileLang, git, nvcc and a device. UUIDs of devices are left out of all that is written, since it is published.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

KERNELS = Path(__file__).resolve().parent.parent.parent / "kernels"
LAB = Path(tempfile.gettempdir()) / "assay-h200-tilelang"
WORKLOADS = {"mhc-post-tilelang": ["v4-flash-decode-s", "v4-flash-decode-l", "v4-flash-prefill-l", "expand8-c1024"],
             "matmul-tilelang": ["K1024", "K4096", "sp24-K4096"]}
# Campaign, variant, parameters, what it is measured against, why.
PAIRS = [
    ("mhc-post-tilelang", "start", {}, "unoptimized", "two kernels with a dispatch, nothing staged that is used once"),
    ("matmul-tilelang", "start", {}, "ref-prog", "128 x 128 tiles, two stages"),
    ("matmul-tilelang", "stages-3", {"num_stages": "3"}, "start", "one more tile on its way hides more of its latency"),
    ("matmul-tilelang", "sparse", {"sparse": "true"}, "start", "the compressed form of A does half of the products"),
    ("mhc-post-tilelang", "rows-64", {"block_b": "64"}, "start", "blocks of 64 rows amortise the tile of gates"),
    ("mhc-post-tilelang", "start", {}, "torch-ref", "what the framework's operations take"),
]


def clean(text: str) -> str:
    """Without what identifies one machine."""
    text = re.sub(r"(GPU|MIG)-[0-9a-f]{8}[0-9a-f-]*", r"\1-…", text)
    return re.sub(r"/[\w./-]*/assay-h200-tilelang", "…", text)


class Lab:
    """A repository of its own with one campaign in it."""

    def __init__(self, name: str, assay: str, out: Path) -> None:
        self.assay, self.out, self.repo, home = assay, out, LAB / name, LAB / f"home-{name}"
        self.env = dict(os.environ, HOME=str(home), XDG_CACHE_HOME=str(home / "cache"), XDG_STATE_HOME=str(home / "state"),
                        GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1")
        self.log, self.known = open(out / f"{name}.txt", "a", encoding="utf-8"), set()
        if self.repo.exists():
            self.known = {variant for _, variant, *_ in PAIRS}
            return
        home.mkdir(parents=True)
        shutil.copytree(KERNELS / name, self.repo, ignore=shutil.ignore_patterns("tests", "golden", "__pycache__"))
        for helper in (KERNELS / "harness").glob("assay_*.py"):
            shutil.copy(helper, self.repo / "harness")
        shorten(self.repo / "assay.toml", WORKLOADS[name])
        for command in (["init", "-q", "-b", "main"], ["config", "user.name", "campaign"],
                        ["config", "user.email", "campaign@localhost"], ["add", "-A"], ["commit", "-q", "-m", "start"]):
            subprocess.run(["git", *command], cwd=self.repo, env=self.env, check=True)
        self.run("init")

    def run(self, *args: str) -> str:
        """One command; its output goes to the log."""
        started = time.monotonic()
        done = subprocess.run([self.assay, "--trust", *args], cwd=self.repo, env=self.env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        said = f"exit {done.returncode}, {time.monotonic() - started:.1f} s"
        self.log.write(clean(f"$ assay {' '.join(args)}\n{done.stdout}{said}\n\n"))
        self.log.flush()
        print(f"{self.repo.name}: assay {' '.join(args)[:70]}: {said}", flush=True)
        return done.stdout

    def make(self, name: str, parameters: dict, why: str) -> None:
        """A variant with these parameters."""
        if name in self.known:
            return
        self.known.add(name)
        self.run("new", name, "--why", why, *[a for k, v in parameters.items() for a in ("--knob", f"{k}={v}")])
        if parameters:
            tree = Path(self.run("edit", name).strip().splitlines()[-1])
            lines = [f"{k} = {v}\n" for k, v in parameters.items()]
            (tree / "variant.toml").write_text("[params]\n" + "".join(lines), encoding="utf-8")
            self.run("commit", name)

    def end(self) -> None:
        """What the ledger says."""
        for args in (["list"], ["show", "start"], ["verify"], ["audit"]):
            self.run(*args)
        self.run("export", str(self.out / f"ledger-{self.repo.name}"))


def shorten(path: Path, names: list) -> None:
    """Leaves these workloads, two blocks and legs of 5 ms."""
    text = path.read_text(encoding="utf-8")
    head, *rest = re.split(r"(?=^\[\[workload\]\]\n)", text, flags=re.M)
    kept = []
    for number, part in enumerate(rest):
        name = re.search(r'^name = "([^"]+)"', part, re.M).group(1)
        body = re.match(r"\[\[workload\]\]\n(?:\w+ = .*\n)+", part).group(0)
        kept.append((body if name in names else "") + (part[len(body):] if number == len(rest) - 1 else "\n"))
    text = head + "".join(kept)
    for key, value in (("blocks", "2"), ("min_leg", '"5ms"'), ("warmup", '"20ms"')):
        text = re.sub(rf"^{key} = .*$", f"{key} = {value}", text, flags=re.M)
    text = re.sub(r'(\[profile\](?:\n\w+ = .*)*?\nworkload = )"[^"]+"', rf'\1"{names[1]}"', text)
    path.write_text(text, encoding="utf-8")


def main() -> None:
    assay, out = sys.argv[1], Path(sys.argv[2])
    limit = next((float(a) for a in sys.argv[3:] if a[0].isdigit()), 1e9)
    prepare, began = "--prepare" in sys.argv, time.monotonic()
    out.mkdir(parents=True, exist_ok=True)
    labs = {name: Lab(name, os.path.abspath(assay), out) for name in WORKLOADS}
    for name, variant, parameters, against, why in PAIRS:
        if time.monotonic() - began > limit:
            print(f"left out: {name} {variant} against {against}, no time")
            continue
        labs[name].make(variant, parameters, why)
        if prepare and against == "torch-ref":
            continue
        if prepare:
            labs[name].run("run", variant, "--stages", "build,source,check")
        else:
            labs[name].run("run", variant, "--against", against, *(["--again"] if against == "torch-ref" else []))
    if not prepare:
        for lab in labs.values():
            lab.end()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Runs gemm-tilelang on the device of this machine, within a number of seconds.

usage: campaign.py ASSAY OUT [--seconds N] [--variants NAME,NAME…]   the dense campaign: build, source, check, bench, gates
       campaign.py ASSAY OUT --layers                                 the other layers: build, source, check, gates

The dense campaign leaves out the workload of 131072 rows, which takes ten seconds a process. No variant is begun that would
not be done in time. Python 3.11, git, torch, TileLang, nvcc and a device. UUIDs of devices are left out of what is written.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
import time
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
KERNELS = HERE.parent.parent / "kernels"
CAMPAIGN = KERNELS / "gemm-tilelang"
LEFT_OUT = "moe-131072x2048x7168"


def clean(text: str) -> str:
    """Without what identifies one machine."""
    text = re.sub(r"(GPU|MIG)-[0-9a-f]{8}[0-9a-f-]*", r"\1-…", text)
    return re.sub(r"/[\w./-]*/(campaign|home)-[\w]+", r"/\1", text)


class Lab:
    """A repository of its own with one campaign file in it."""

    def __init__(self, assay: Path, out: Path, file: str) -> None:
        self.assay, self.out, self.name = assay, out, Path(file).stem
        self.home = Path(tempfile.mkdtemp(prefix="home-"))
        self.repo = Path(tempfile.mkdtemp(prefix="campaign-"))
        self.env = dict(os.environ, HOME=str(self.home), XDG_CACHE_HOME=str(self.home / "cache"),
                        XDG_STATE_HOME=str(self.home / "state"), GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1")
        self.log = open(out / f"log-{self.name}.txt", "w", encoding="utf-8")
        subprocess.run([str(CAMPAIGN / "start"), self.name if file != "assay.toml" else "dense", str(self.repo / "c")], check=True,
                       stdout=subprocess.DEVNULL)
        self.repo = self.repo / "c"
        for command in (["init", "-q", "-b", "main"], ["config", "user.name", "campaign"],
                        ["config", "user.email", "campaign@localhost"]):
            subprocess.run(["git", *command], cwd=self.repo, env=self.env, check=True)

    def begin(self) -> None:
        for command in (["add", "-A"], ["commit", "-q", "-m", "start"]):
            subprocess.run(["git", *command], cwd=self.repo, env=self.env, check=True)
        self.run("init")

    def run(self, *args: str, keep: str = "") -> str:
        """One command; its output goes to the log, and with `keep` to a file."""
        started = time.monotonic()
        done = subprocess.run([str(self.assay), "--trust", *args], cwd=self.repo, env=self.env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE if keep else subprocess.STDOUT)
        said = done.stderr if keep else done.stdout
        self.log.write(clean(f"$ assay {' '.join(args)}\n{said}exit {done.returncode}, {time.monotonic() - started:.1f} s\n\n"))
        self.log.flush()
        print(clean(f"{self.name}: assay {' '.join(args)[:60]}: exit {done.returncode}, {time.monotonic() - started:.1f} s"), flush=True)
        if keep:
            (self.out / keep).write_text(clean(done.stdout), encoding="utf-8")
        return done.stdout

    def make(self, v: dict) -> None:
        """A variant of the history, from the start of the campaign."""
        knobs = [a for k, x in v["knobs"].items() for a in ("--knob", f"{k}={x}")]
        self.run("new", v["name"], "--why", v["why"], "--family", v["family"], *knobs)
        tree = Path(self.run("edit", v["name"]).strip().splitlines()[-1])
        shutil.copy(CAMPAIGN / "history" / v["folder"] / "variant.toml", tree / "kernel" / "variant.toml")
        self.run("commit", v["name"])


def history() -> dict:
    rows = tomllib.loads((CAMPAIGN / "history" / "history.toml").read_text(encoding="utf-8"))["variant"]
    return {v["name"]: v for v in rows}


def dense(assay: Path, out: Path, names: list, seconds: float) -> None:
    began = time.monotonic()
    lab = Lab(assay, out, "assay.toml")
    file = lab.repo / "assay.toml"
    head, *blocks = re.split(r"(?m)(?=^(?:#[^\n]*\n)?\[\[workload\]\])", file.read_text(encoding="utf-8"))
    file.write_text(head + "".join(b for b in blocks if LEFT_OUT not in b.split("[params]")[0]), encoding="utf-8")
    lab.begin()
    longest, done = 50.0, []
    for name in names:
        if time.monotonic() - began + longest > seconds:
            print(f"no time for {name}", flush=True)
            continue
        started = time.monotonic()
        lab.make(history()[name])
        lab.run("run", name)
        longest = max(longest, time.monotonic() - started) if done else time.monotonic() - started
        done.append(name)
        told = json.loads(subprocess.run([str(assay), "--trust", "list", "--json"], cwd=lab.repo, env=lab.env, text=True,
                                         capture_output=True).stdout)
        row = next((v for v in told["variants"] if v["name"] == name), {})
        if row.get("verdict") == "FASTER" or len(done) == 1:
            lab.run("accept", name, "--reason", "faster than what it was measured against" if len(done) > 1 else "the start")
    for name in done:
        lab.run("show", name)
    lab.run("list")
    lab.run("list", "--json", keep="list.json")
    lab.run("verify")
    lab.run("export", str(out / "ledger"))


def layers(assay: Path, out: Path) -> None:
    """Build, source and check of the other layers, all at once: nothing is timed here."""
    def one(layer: str) -> None:
        lab = Lab(assay, out, f"{layer}.toml")
        lab.begin()
        lab.make(history()["a-width4"])
        lab.run("run", "a-width4", "--stages", "build,source,check")
        lab.run("show", "a-width4")

    threads = [threading.Thread(target=one, args=(layer,)) for layer in ("grouped", "gate-up", "swiglu", "moe")]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("assay", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seconds", type=float, default=1800)
    parser.add_argument("--variants", default="cshared-swizzle256,a-width4,b-interleave8,wgmma")
    parser.add_argument("--layers", action="store_true")
    a = parser.parse_args()
    a.out.mkdir(parents=True, exist_ok=True)
    if a.layers:
        layers(a.assay.resolve(), a.out.resolve())
    else:
        dense(a.assay.resolve(), a.out.resolve(), a.variants.split(","), a.seconds)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Runs the gemm-cuda campaign whole on the device of this machine, and what readings of its state cost.

usage: experiments/h200-conditions/campaign.py ASSAY OUT [--quick | --heavy] [SAMPLING_COST]

  ASSAY          the program
  OUT            folder for logs, the exported ledger and reports
  --quick        the first two variants only
  --heavy        the session of long legs only
  SAMPLING_COST  the example `sampling_cost` of assay-exec, where it was built

Python 3.11, git, nvcc and a device. UUIDs of devices are left out of all that is written, since it is published.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
KERNELS = HERE.parent.parent / "kernels"
CAMPAIGN = KERNELS / "gemm-cuda"


def clean(text: str) -> str:
    """Without what identifies one machine."""
    text = re.sub(r"(GPU|MIG)-[0-9a-f]{8}[0-9a-f-]*", r"\1-…", text)
    return re.sub(r"/[\w./-]*/(campaign|home)-[\w]+", r"/\1", text)


class Lab:
    """A repository of its own with the campaign in it."""

    def __init__(self, assay: Path, out: Path) -> None:
        self.assay, self.out = assay, out
        self.home = Path(tempfile.mkdtemp(prefix="home-"))
        self.repo = Path(tempfile.mkdtemp(prefix="campaign-"))
        self.env = dict(os.environ, HOME=str(self.home), XDG_CACHE_HOME=str(self.home / "cache"),
                        XDG_STATE_HOME=str(self.home / "state"), GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1")
        self.log = open(out / "log.txt", "w", encoding="utf-8")
        shutil.copytree(CAMPAIGN, self.repo, dirs_exist_ok=True, ignore=shutil.ignore_patterns("history"))
        for header in (KERNELS / "harness").glob("assay_*.h"):
            shutil.copy(header, self.repo / "harness")
        for command in (["init", "-q", "-b", "main"], ["config", "user.name", "campaign"],
                        ["config", "user.email", "campaign@localhost"], ["add", "-A"], ["commit", "-q", "-m", "start"]):
            subprocess.run(["git", *command], cwd=self.repo, env=self.env, check=True)

    def run(self, *args: str, keep: str = "") -> str:
        """One command; its output goes to the log, and with `keep` to a file."""
        started = time.monotonic()
        done = subprocess.run([str(self.assay), "--trust", *args], cwd=self.repo, env=self.env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT if not keep else subprocess.PIPE)
        took = time.monotonic() - started
        said = done.stdout if not keep else (done.stderr or "")
        self.log.write(clean(f"$ assay {' '.join(args)}\n{said}exit {done.returncode}, {took:.1f} s\n\n"))
        self.log.flush()
        print(clean(f"assay {' '.join(args)[:60]}: exit {done.returncode}, {took:.1f} s"), flush=True)
        if keep:
            (self.out / keep).write_text(clean(done.stdout), encoding="utf-8")
        return done.stdout

    def variant(self, name: str) -> dict:
        """What `list` says of a variant."""
        text = subprocess.run([str(self.assay), "--trust", "list", "--json"], cwd=self.repo, env=self.env, text=True,
                              capture_output=True).stdout
        return next((v for v in json.loads(text)["variants"] if v["name"] == name), {})

    def make(self, v: dict) -> None:
        """A variant of the history, on its branch."""
        knobs = [a for k, x in v["knobs"].items() for a in ("--knob", f"{k}={x}")]
        predictions = [a for p in v["predictions"] for a in ("--predict", p)]
        start = ["--from", v["parent"]] if "parent" in v else []
        self.run("new", v["name"], "--why", v["why"], "--family", v["family"], *knobs, *predictions, *start)
        tree = self.run("edit", v["name"]).strip().splitlines()[-1]
        for file in v["files"]:
            shutil.copy(CAMPAIGN / "history" / v["folder"] / file, Path(tree) / "kernel" / file)
        if "parent" in v:  # the root is the kernel as it stands
            self.run("commit", v["name"])


def campaign(lab: Lab, quick: bool) -> None:
    history = tomllib.loads((CAMPAIGN / "history" / "history.toml").read_text(encoding="utf-8"))["variant"]
    lab.run("init")
    lab.run("doctor")
    champion = None
    for v in history[:2] if quick else history:
        lab.make(v)
        against = ["--against", v["against"]] if "against" in v else []
        lab.run("run", v["name"], *against)
        told = lab.variant(v["name"])
        better = told.get("verdict") == "FASTER" and not told.get("failure") and "against" not in v
        failure = told.get("failure") or {}
        reason = failure.get("message") or f"{told.get('verdict')} than what it was measured against"
        if better and "cannot be accepted" not in lab.run("accept", v["name"], "--reason", reason):
            champion = v["name"]
        elif better:
            lab.run("park", v["name"], "--reason", "faster, and a workload is slower than the guard allows")
        elif champion:
            lab.run("reject", v["name"], "--reason", reason)
    if not quick:
        profiles(lab, ["wide-loads", champion])
        lab.run("run", champion, "--against", "cublas", "--again", "--stages", "build,source,check,bench")
    lab.run("calibrate", "--noise", "--processes", "12")
    lab.run("list")
    lab.run("list", "--json", keep="list.json")
    for v in history[:2] if quick else history:
        lab.run("show", v["name"])
    lab.run("verify")
    lab.run("audit")
    lab.run("report", keep="report.md")
    lab.run("log", "-n", "200")
    lab.run("export", str(lab.out / "ledger"))


def profiles(lab: Lab, names: list) -> None:
    """Counters of one launch, filed and compared."""
    for name in names:
        tree = Path(lab.run("edit", name).strip().splitlines()[-1])
        page = lab.out / f"ncu-{name}.csv"
        done = subprocess.run(["sh", "harness/profile.sh", str(page)], cwd=tree, env=lab.env, text=True, capture_output=True)
        lab.log.write(clean(f"$ profile.sh {name}\n{done.stderr}exit {done.returncode}\n\n"))
        lab.run("import", str(page), "--variant", name)
    lab.run("compare", *names)


def heavy(assay: Path, out: Path) -> None:
    """One large workload in long legs, so that the power limit holds throughout."""
    out.mkdir(exist_ok=True)
    lab = Lab(assay, out)
    path = lab.repo / "assay.toml"
    text = path.read_text(encoding="utf-8")
    first, last = text.index("[[workload]]"), text.index("[[baseline]]")
    block = '[[workload]]\nname = "square-8192"\ndims = { M = 8192, N = 8192, K = 8192 }\ndtype = "f16"\n\n'
    text = text[:first] + block + text[last:].replace("square-4096", "square-8192")
    text = text.replace('min_leg = "10ms"', 'min_leg = "150ms"').replace('warmup = "60ms"', 'warmup = "1500ms"')
    path.write_text(text, encoding="utf-8")
    shutil.copy(CAMPAIGN / "history" / "05-ldmatrix" / "gemm.cu", lab.repo / "kernel" / "gemm.cu")
    subprocess.run(["git", "commit", "-qam", "heavy"], cwd=lab.repo, env=lab.env, check=True)
    lab.run("init")
    lab.run("new", "ldmatrix", "--why", "As accepted; here to see what a power limit does to it.")
    lab.run("run", "ldmatrix", "--against", "cublas")
    lab.run("calibrate", "cublas", "--noise", "--processes", "8")
    lab.run("show", "ldmatrix")
    lab.run("export", str(out / "ledger"))


def costs(lab: Lab, sampling: str) -> None:
    """What readings of the state cost, while the device rests."""
    text = ""
    if sampling:
        text += subprocess.run([sampling, "nvidia", "100"], text=True, capture_output=True).stdout
    done = subprocess.run([sys.executable, "-m", "unittest", "discover", "-s", str(KERNELS / "harness" / "tests"), "-p",
                           "test_nvml.py"], text=True, capture_output=True)
    text += "\n".join(line for line in done.stderr.splitlines() if line.startswith("NVML")) + "\n"
    program = lab.home / "nvml_cost"
    subprocess.run(["cc", "-O2", "-I", str(KERNELS / "harness"), str(HERE / "nvml_cost.c"), "-o", str(program), "-ldl", "-lm"],
                   check=True)
    text += subprocess.run([program, bus()], text=True, capture_output=True).stdout
    (lab.out / "costs.txt").write_text(clean(text), encoding="utf-8")
    print(clean(text), flush=True)


def bus() -> str:
    return subprocess.run(["nvidia-smi", "--query-gpu=pci.bus_id", "--format=csv,noheader"], text=True, capture_output=True,
                          check=True).stdout.splitlines()[0].strip()


def main() -> int:
    args = [a for a in sys.argv[1:] if not a.startswith("--")]
    if len(args) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 3
    out = Path(args[1])
    out.mkdir(parents=True, exist_ok=True)
    if "--heavy" in sys.argv:
        heavy(Path(args[0]).resolve(), out / "heavy")
        return 0
    lab = Lab(Path(args[0]).resolve(), out)
    facts = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version,power.limit,clocks.max.sm,clocks.max.mem",
                            "--format=csv"], text=True, capture_output=True).stdout
    (out / "device.txt").write_text(time.strftime("%Y-%m-%d %H:%M UTC\n", time.gmtime()) + facts, encoding="utf-8")
    costs(lab, args[2] if len(args) == 3 else "")
    campaign(lab, "--quick" in sys.argv)
    heavy(lab.assay, out / "heavy")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Whether reading the device's state disturbs what is timed: the same launches with and without readings, in pairs.

usage: sampling.py ASSAY OUT SECONDS

A is a product of torch, B the same product while another process reads clocks, power, temperature and reasons: by NVML each
5 ms, and by starting `nvidia-smi` one after another, which is far more than a campaign does. Legs alternate as in a
campaign, in fresh processes, and `assay verdict` says what comes of it. OUT/sampling.tar.gz has the samples and the verdict.
Needs torch and a device; nothing else.
"""

import json
import mmap
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
KERNELS = HERE.parent.parent / "kernels"
sys.path[:0] = [str(HERE.parent), str(KERNELS / "harness")]

# Side of the square product: one that takes microseconds, one that takes a good part of a millisecond.
WORKLOADS = {"mm-1024": 1024, "mm-4096": 4096}
PROCESSES, BLOCKS = 12, 6
QUERY = "--query-gpu=uuid,clocks.sm,clocks.mem,power.draw,temperature.gpu,clocks_event_reasons.active"
ORDERS = ["ABBA", "BAAB"]


def read_state(flag: str, bus: str) -> None:
    """Reads the state of the device while the flag is up, until the parent is gone."""
    from assay_nvml import Nvml

    state, parent = Nvml(bus=bus), os.getppid()
    with open(flag, "r+b") as f, mmap.mmap(f.fileno(), 16) as shared:
        smi, readings = None, 0
        while os.getppid() == parent:
            if shared[0]:
                if smi is None or smi.poll() is not None:
                    smi = subprocess.Popen(["nvidia-smi", QUERY, "--format=csv"], stdout=subprocess.DEVNULL)
                readings += bool(state.conditions())
                shared[8:16] = readings.to_bytes(8, "little")
            time.sleep(0.005)
        if smi is not None:
            smi.wait()


def evaluate(h) -> None:
    """One process: all legs of both workloads; the flag is up in all windows of B and down in all of A."""
    import torch

    from assay_torch import GraphTimer

    flag = os.environ["SAMPLING_FLAG"]
    with open(flag, "r+b") as f:
        shared = mmap.mmap(f.fileno(), 16)

    class Flagged(GraphTimer):
        """Raises the flag for the launches of B, and gives a reading that has begun the time to end."""

        of_b = None

        def time(self, launch, launches, sync=None):
            shared[0] = launch is self.of_b
            time.sleep(0.01)
            return super().time(launch, launches, sync)

    timer = Flagged()
    properties = torch.cuda.get_device_properties(0)
    bus = "{:08x}:{:02x}:{:02x}.0".format(properties.pci_domain_id, properties.pci_bus_id, properties.pci_device_id)
    reader = subprocess.Popen([sys.executable, __file__, "--read", flag, bus])

    try:
        for w in h.workloads:
            a, b = (torch.randn(w["N"], w["N"], device="cuda", dtype=torch.float16) for _ in "ab")
            out = torch.empty_like(a)
            launches = {s.id: lambda: torch.mm(a, b, out=out) for s in h.subjects}
            timer.of_b = launches["B-read"]
            # Without new inputs for each window: it is one and the same product, and nobody is under suspicion here.
            h.measure(w, launches, timer=timer)
            timer.forget()
        timer.check()
        h.note(f"{int.from_bytes(shared[8:16], 'little')} readings by NVML beside the legs of B")
    finally:
        reader.kill()
        reader.wait()


def one(number: int, flag: str, log) -> list:
    """The answers of one fresh process."""
    read, write = os.pipe()
    plan = {"assay": 1, "stage": "bench", "mode": "pair", "blocks": BLOCKS, "order": [ORDERS[(number + i) % 2] for i in range(BLOCKS)],
            "load_order": "AB"[::1 if number % 2 else -1], "seed": 7919 * number + 1, "min_leg_ns": 20_000_000, "warmup_ns": 500_000_000,
            "cache": "hot", "process": number, "inputs": "fresh",
            "workloads": [{"name": n, "dtype": "f16", "dims": {"N": s}, "flops": 2 * s**3, "bytes": 6 * s * s} for n, s in WORKLOADS.items()]}
    subjects = [{"id": i, "role": "variant", "folder": "", "artefact": "", "source": ""} for i in ("A-quiet", "B-read")]
    env = {**os.environ, "ASSAY_PLAN": json.dumps(plan), "ASSAY_SUBJECTS": json.dumps(subjects), "ASSAY_FD": str(write),
           "ASSAY_NONCE": "5a", "SAMPLING_FLAG": flag}
    process = subprocess.Popen([sys.executable, __file__, "--process"], env=env, pass_fds=[write], stdin=subprocess.DEVNULL, stderr=log)
    os.close(write)
    with os.fdopen(read) as pipe:
        lines = pipe.read().splitlines()
    if process.wait():
        print(f"sampling: process {number} ended with {process.returncode}", flush=True)
        print(f"process {number} ended with {process.returncode}", file=log, flush=True)
        return []
    return lines


def main() -> None:
    from lab import Clock

    assay, out, clock = sys.argv[1], Path(sys.argv[2]), Clock(float(sys.argv[3]))
    out.mkdir(parents=True, exist_ok=True)
    longest = 15.0
    with tempfile.TemporaryDirectory() as work:
        flag, samples, verdict, errors = (Path(work) / n for n in ("flag", "samples.jsonl", "verdict.txt", "errors.txt"))
        flag.write_bytes(bytes(16))
        done = 0
        for number in range(1, PROCESSES + 1):
            if clock.left() < longest * 1.2:
                print(f"sampling: no time for process {number}", flush=True)
                break
            began = time.monotonic()
            with open(errors, "a", encoding="utf-8") as log:
                lines = one(number, str(flag), log)
            longest = time.monotonic() - began
            done += bool(lines)
            with open(samples, "a", encoding="utf-8") as f:
                f.writelines(line + "\n" for line in lines)
            print(f"sampling: process {number}: {len(lines)} answers, {longest:.1f} s", flush=True)
        told = subprocess.run([assay, "verdict", "--a", "A-quiet", "--b", "B-read", "--delta", "0.5%", str(samples)], text=True,
                              capture_output=True)
        verdict.write_text(f"{done} processes\n{told.stdout}{told.stderr}", encoding="utf-8")
        print(verdict.read_text(encoding="utf-8"), flush=True)
        with tarfile.open(out / "sampling.tar.gz", "w:gz") as archive:
            for path in (samples, verdict, errors):
                if path.exists():
                    archive.add(path, f"sampling/{path.name}")


if __name__ == "__main__":
    if sys.argv[1] == "--read":
        read_state(sys.argv[2], sys.argv[3])
    elif sys.argv[1] == "--process":
        from assay_harness import main as run

        run(evaluate)
    else:
        main()

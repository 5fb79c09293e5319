#!/usr/bin/env python3
"""Runs the tests that need a device, side by side, with a limit: device_tests.py OUT SECONDS [NAME…]

OUT/tests.tar.gz has what each printed; a line for each is printed when it ends. Nothing here is timed.
"""

import os
import subprocess
import sys
import tarfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from lab import ROOT, Clock, clean, descendants  # noqa: E402

KERNELS = HERE.parent / "kernels"
# Name, folder below kernels/, arguments of unittest; the slowest first. No run may take longer than MOST seconds.
RUNS = [
    ("gemm-kernels", "gemm-tilelang/tests", ["-p", "test_device.py", "-k", "Kernels"]),
    ("gemm-evaluator", "gemm-tilelang/tests", ["-p", "test_device.py", "-k", "Evaluator"]),
    ("matmul", "matmul-tilelang/tests", []),
    ("mhc-operator", "mhc-post-tilelang/tests", ["-k", "Operator"]),
    ("mhc-evaluator", "mhc-post-tilelang/tests", ["-k", "Evaluator"]),
    ("mhc-rest", "mhc-post-tilelang/tests", ["-k", "Files", "-k", "Dispatch", "-k", "Oracle", "-k", "Contract", "-k", "Golden"]),
    ("harness-torch", "harness/tests", ["-p", "test_torch.py"]),
    ("harness-bench", "harness/tests", ["-p", "test_torch_bench.py"]),
    ("harness-nvml", "harness/tests", ["-p", "test_nvml.py"]),
    ("gemm-cuda", "gemm-cuda/tests", []),
]
MOST = 200


def main() -> None:
    out, clock, names = Path(sys.argv[1]), Clock(float(sys.argv[2])), sys.argv[3:]
    work = ROOT / "tests"
    work.mkdir(parents=True, exist_ok=True)
    env = {**os.environ, "GEMM_TILELANG_LOG": str(work / "kernels.jsonl")}

    def one(name: str, folder: str, args: list) -> None:
        began = time.monotonic()
        with open(work / f"{name}.txt", "w", encoding="utf-8") as log:
            process = subprocess.Popen([sys.executable, "-m", "unittest", "discover", "-v", "-s", str(KERNELS / folder), *args],
                                       stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, env=env, start_new_session=True)
            try:
                code = str(process.wait(min(MOST, clock.left())))
            except subprocess.TimeoutExpired:
                for pid in [process.pid, *descendants(process.pid)]:
                    try:
                        os.kill(pid, 9)
                    except OSError:
                        pass
                process.wait()
                code = "stopped"
        path = work / f"{name}.txt"
        text = clean(path.read_text(encoding="utf-8", errors="replace"))
        path.write_text(f"{text}\nexit {code}, {time.monotonic() - began:.1f} s\n", encoding="utf-8")
        last = [line for line in text.splitlines() if line.strip()][-1:]
        print(f"tests: {name}: exit {code}, {time.monotonic() - began:.1f} s, {''.join(last)}", flush=True)

    threads = [threading.Thread(target=one, args=run) for run in RUNS if not names or run[0] in names]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    with tarfile.open(out / "tests.tar.gz", "w:gz") as archive:
        archive.add(work, "tests")


if __name__ == "__main__":
    main()

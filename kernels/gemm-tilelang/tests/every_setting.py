"""All settings by name, run by workers side by side; shared by test_device.py and test_emulated.py."""

import importlib.util
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
CAMPAIGN = os.path.dirname(HERE)
WORKERS = max(1, min(8, (os.cpu_count() or 2) // 2))

# What only a device can run.
WGMMA = [f"{layer}:stages-3+path-wgmma" for layer in ("dense", "grouped", "gate-up", "swiglu", "moe")]


def names():
    """The settings of the golden facts, and more of them for the layers of experts; the slowest to compile first."""
    spec = importlib.util.spec_from_file_location("of_settings", os.path.join(CAMPAIGN, "golden", "settings.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    rows = [row["name"] for row in module.settings() if row["params"].get("path") != "wgmma"]
    more = [f"{layer}:{row}" for layer in ("grouped", "swiglu", "moe") for row in ("b_interleave-8", "stages-2", "c_staging-False")]
    return sorted(rows + more, key=lambda n: ("moe" not in n and "dispatch" not in n, "layer" not in n))


def check(case, todo, flags):
    """Runs the settings and holds their errors against what is allowed: none on integers."""
    parts = [todo[i::WORKERS] for i in range(WORKERS)]
    with ThreadPoolExecutor(WORKERS) as pool:
        done = list(pool.map(lambda part: subprocess.run([sys.executable, os.path.join(HERE, "worker.py"), *flags, *part],
                                                         capture_output=True, text=True), parts))
    lines = [json.loads(line) for d in done for line in d.stdout.splitlines() if line.startswith("{\"name\"")]
    case.assertEqual(sorted(line["name"] for line in lines), sorted(todo), "\n".join(d.stderr[-2000:] for d in done))
    log = os.environ.get("GEMM_TILELANG_LOG")
    if log:
        with open(log, "w", encoding="utf-8") as f:
            f.writelines(json.dumps(line) + "\n" for line in sorted(lines, key=lambda line: todo.index(line["name"])))
    for line in lines:
        with case.subTest(line["name"]):
            case.assertEqual((line["exact"], line["detail"]), (0.0, ""))
            case.assertLessEqual(line["units"], 1.0)
            case.assertGreater(line["mma"], 0)
    return lines

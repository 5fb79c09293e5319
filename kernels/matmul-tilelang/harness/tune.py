"""Tries configurations on one workload and prints what each takes, in the words of TileLang's autotuner.

    python3 harness/tune.py --workload K1024 [--space hints|all] [--top 10] [--sparse] [--write variant.toml] [--json OUT]

`hints` are those of kernel/roller.py, `all` is the whole space of 288. Each configuration is compiled, compared with the
oracle in all elements, warmed up with 3 launches and timed over 20. The winner of a search has had luck too: confirm it
with `assay run`. Latencies are in milliseconds.
"""

import argparse
import concurrent.futures
import json
import os
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "..", "harness"), os.path.join(os.path.dirname(HERE), "kernel")]

import assay_tilelang  # noqa: E402
import build  # noqa: E402
from campaign import workloads  # noqa: E402

WARMUP, REPEAT = 3, 20


def toml(config):
    """A variant.toml with these parameters."""
    values = {key: str(value).lower() for key, value in config.items()}
    return "[params]\n" + "".join(f"{key} = {value}\n" for key, value in values.items())


def compile_all(configs, shape, sparse, e_dtype, folder, target):
    """What the manifest says of each configuration, or the reason why there is no kernel."""

    def one(item):
        number, config = item
        try:
            return assay_tilelang.compiled(build.one(f"c{number}", shape, config, sparse, e_dtype), folder, target)
        except Exception as e:  # a refused configuration is a result of the search
            lines = str(e).strip().splitlines()
            return lines[-1][:200] if lines else type(e).__name__

    with concurrent.futures.ThreadPoolExecutor(max_workers=assay_tilelang.workers()) as pool:
        return list(pool.map(one, enumerate(configs)))


def timed(folder, facts, operands, timer, out):
    """Milliseconds of one launch, or the reason why there are none."""
    import torch

    try:
        launch = assay_tilelang.entry(os.path.join(folder, facts["library"]), facts["symbol"])
        given = operands.of(facts)
        out.fill_(float("nan"))
        launch(*given, out)
        torch.cuda.synchronize()
    except Exception as e:
        return f"launch failed: {(str(e).strip().splitlines() or [type(e).__name__])[-1][:200]}"
    units = operands.errors(out)[1]
    if not units <= 1:
        return f"wrong by {units:.3g} times what is allowed"
    return measured(lambda: launch(*given, out), timer)


def measured(launch, timer):
    """Milliseconds of one launch, the mean of a window of them after a warm-up."""
    timer.time(launch, WARMUP)
    milliseconds = timer.time(launch, REPEAT) / REPEAT / 1e6
    timer.forget()
    return milliseconds


def main():
    """Searches, and says the best."""
    arguments = argparse.ArgumentParser(description="Try configurations on one workload.")
    arguments.add_argument("--workload", required=True)
    arguments.add_argument("--space", choices=["hints", "all"], default="hints")
    arguments.add_argument("--top", type=int, default=10)
    arguments.add_argument("--sparse", action="store_true")
    arguments.add_argument("--e-dtype", default="int16")
    arguments.add_argument("--target")
    arguments.add_argument("--write")
    arguments.add_argument("--json")
    given = arguments.parse_args()
    import torch

    import evaluate
    import roller
    from assay_torch import GraphTimer

    m, n, k, is_sparse = workloads()[given.workload]
    if given.sparse and not is_sparse:
        sys.exit(f"tune.py: A of {given.workload} is not 2:4 sparse; take a workload with S = 1")
    device = roller.of_torch()
    configs = roller.configs() if given.space == "all" else [
        {key: hint[key] for key in roller.SPACE} for hint in roller.hints(m, n, k, device, given.top, given.sparse)]
    draws = torch.Generator(device="cuda")
    draws.manual_seed(1)
    operands, timer = evaluate.Operands((m, n, k), bool(is_sparse), draws), GraphTimer()
    out = torch.empty(m, n, dtype=torch.float16, device="cuda")
    rows, began = [], time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        found = compile_all(configs, (m, n, k), given.sparse, given.e_dtype, folder, assay_tilelang.target(given.target))
        print(f"compiled {sum(isinstance(f, dict) for f in found)} of {len(configs)} configurations in "
              f"{time.monotonic() - began:.0f} s", file=sys.stderr)
        for number, (config, facts) in enumerate(zip(configs, found)):
            result = timed(folder, facts, operands, timer, out) if isinstance(facts, dict) else facts
            rows.append({"index": number, "config": config, "latency_ms": result if isinstance(result, float) else None,
                         "failure": None if isinstance(result, float) else result,
                         "estimate_ms": (roller.estimate(config, m, n, k, device, given.sparse) or 0) * 1e3 or None})
            print(f"Tuned Latency {result} with config {config} at index {number}" if isinstance(result, float)
                  else f"An error occurred while testing config {config}: {result}", flush=True)
    reference = measured(lambda: torch.mm(operands.a, operands.b.T, out=out), timer)
    right = [row for row in rows if row["latency_ms"] is not None]
    document = {"schema": "assay.tuning/1", "workload": given.workload, "shape": [m, n, k], "device": torch.cuda.get_device_name(),
                "form": "sparse" if given.sparse else "dense", "space": given.space, "ref_latency_ms": reference, "rows": rows}
    if given.json:
        with open(given.json, "w", encoding="utf-8") as f:
            json.dump(document, f, indent=1)
    if not right:
        sys.exit("tune.py: no configuration ran and was right")
    best = min(right, key=lambda row: row["latency_ms"])
    rate = 2.0 * m * n * k / best["latency_ms"] / 1e9
    print(f"Best latency (ms): {best['latency_ms']}\nBest TFlops: {rate:.1f} (of the expanded product)\nBest config: {best['config']}\n"
          f"Reference latency (ms): {reference}")
    if given.write:
        with open(given.write, "w", encoding="utf-8") as f:
            f.write(toml({**best["config"], **({"sparse": True} if given.sparse else {})}))


if __name__ == "__main__":
    main()

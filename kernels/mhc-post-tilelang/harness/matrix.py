"""The review matrix: for each workload, what the dispatch chose, what was generated, and whether it is right, as JSON.

    python3 harness/matrix.py [-o matrix.json] [--build FOLDER] [--target cuda|maca]

With a device each kernel is compiled, launched once on new inputs and compared element by element with the oracle;
`--build` takes what `harness/build.py` left in a folder instead of compiling. Without a device the sources are lowered and
`oracle` says `not run`. The exit code is 1 when a kernel is wrong.
"""

import argparse
import json
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "..", "harness"), os.path.join(os.path.dirname(HERE), "kernel")]

import assay_tilelang  # noqa: E402
import build  # noqa: E402
from campaign import shapes  # noqa: E402

SCHEMA = "assay.review-matrix/1"


def lowered(target):
    """Facts of the sources, without a device."""
    rows = []
    for kernel in build.kernels(build.asked(), cases=False):
        rows.append({"name": kernel.name, **assay_tilelang.source_facts(assay_tilelang.lower(kernel, target)), **kernel.facts})
    return rows


def judged(folder, row, seed):
    """Launches one kernel and holds it against the oracle."""
    import torch

    import oracle

    draws = torch.Generator(device="cuda")
    draws.manual_seed(seed)
    x, h, res = oracle.inputs(row["shape"], "cuda", draws)
    want = row["output"]
    out = torch.full(want["shape"], float("nan"), dtype=torch.bfloat16, device="cuda")
    assay_tilelang.entry(os.path.join(folder, row["library"]), row["symbol"])(x, h, res, out)
    torch.cuda.synchronize()
    difference, units = oracle.errors(x, h, res, out)
    return {"max_abs_error": difference, "error": units, "oracle": "pass" if units <= 1 else "fail", "elements": out.numel()}


def main():
    """Writes the matrix."""
    arguments = argparse.ArgumentParser(description="Write the review matrix as JSON.")
    arguments.add_argument("-o", "--output")
    arguments.add_argument("--build")
    arguments.add_argument("--target")
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()
    import torch

    target = assay_tilelang.target(given.target)
    device, rows = torch.cuda.is_available(), []
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.build or temporary
        if device and not given.build:
            assay_tilelang.build(build.kernels(build.asked(), cases=False), folder, target)
        found = assay_tilelang.manifest_of(folder)["kernels"] if device or given.build else lowered(target)
        for row in (r for r in found if r["name"] in shapes()):
            tested = judged(folder, row, given.seed) if device else {"max_abs_error": None, "error": None, "oracle": "not run"}
            kept = {key: row[key] for key in ("name", "shape", "mapping", "config", "source_sha256", "source_bytes", "barriers",
                                             "threads", "output")}
            rows.append({**kept, **tested})
    document = {"schema": SCHEMA, "campaign": "mhc-post-tilelang", "target": target,
                "device": torch.cuda.get_device_name() if device else None, "rows": rows}
    text = json.dumps(document, indent=1) + "\n"
    if given.output:
        with open(given.output, "w", encoding="utf-8") as f:
            f.write(text)
    else:
        sys.stdout.write(text)
    return 1 if any(row["oracle"] == "fail" for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())

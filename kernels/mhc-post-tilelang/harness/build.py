"""Builds one subject: build.py [unoptimized | torch-ref]. ASSAY_BUILD is the folder; ASSAY_PARAM_* are the parameters.

One library for each workload and, for a variant, for each case of cases.py. `--target maca` (or TILELANG_TARGET) names
the target.
"""

import argparse
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CAMPAIGN = os.path.dirname(HERE)
# The helpers lie beside this file in a campaign of its own, and one folder up in the Assay repository.
sys.path[:0] = [HERE, os.path.join(CAMPAIGN, "..", "harness"), os.path.join(CAMPAIGN, "kernel")]

import assay_tilelang  # noqa: E402
from campaign import shapes  # noqa: E402
from cases import CASES, name_of  # noqa: E402


def asked():
    """The parameters of the variant."""
    return {name: os.environ.get("ASSAY_PARAM_" + name.upper(), "0") for name in ("block_b", "block_c", "threads")}


def kernels(parameters=None, names=None, cases=True):
    """The kernels of a variant."""
    import mhc_post

    wanted = dict(shapes())
    if cases:
        wanted.update({name_of(case): shape for case, shape in CASES.items()})
    made = []
    for name, shape in wanted.items():
        if names is None or name in names:
            func, mapping, config = mhc_post.kernel(*shape, parameters)
            made.append(assay_tilelang.Kernel(name, func, facts(shape, mapping, config)))
    return made


def facts(shape, mapping, config):
    """What the manifest says of a kernel, beyond its source."""
    batch, n, c = shape
    return {"mapping": mapping, "config": config, "shape": list(shape),
            "output": {"shape": [batch, n * c], "dtype": "bfloat16", "contiguous": True}}


def before():
    """The kernels of the baseline `unoptimized`."""
    import baselines

    return [assay_tilelang.Kernel(name, baselines.unoptimized(*shape), facts(shape, "unoptimized", {"block_c": 128}))
            for name, shape in shapes().items()]


def main():
    """Builds into ASSAY_BUILD."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("baseline", nargs="?", choices=["unoptimized", "torch-ref"])
    arguments.add_argument("--target")
    given = arguments.parse_args()
    folder = os.environ.get("ASSAY_BUILD") or sys.exit("build.py: set ASSAY_BUILD to the output folder; `assay run` does")
    if given.baseline == "torch-ref":
        assay_tilelang.declare(folder, "torch-ref")
    else:
        made = before() if given.baseline else kernels(asked())
        assay_tilelang.build(made, folder, assay_tilelang.target(given.target))


if __name__ == "__main__":
    main()

"""Builds one subject: build.py [ref-prog]. ASSAY_BUILD is the folder; ASSAY_PARAM_* are the parameters.

One library for each workload and for each case of campaign.py. `--target maca` (or TILELANG_TARGET) names the target.
"""

import argparse
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CAMPAIGN = os.path.dirname(HERE)
# The helpers lie beside this file in a campaign of its own, and one folder up in the Assay repository.
sys.path[:0] = [HERE, os.path.join(CAMPAIGN, "..", "harness"), os.path.join(CAMPAIGN, "kernel")]

import assay_tilelang  # noqa: E402
from campaign import CASES, SPARSE_CASES, parameters, workloads  # noqa: E402


def one(name, shape, config, sparse=False, e_dtype="int16"):
    """One kernel, with what the manifest says of it."""
    import matmul
    import roller

    for key, value in config.items():
        if value not in matmul.SPACE[key]:
            raise ValueError(f"{key} = {value}: not one of {matmul.SPACE[key]}")
    func = matmul.matmul_sp(*shape, **config, e_dtype=e_dtype) if sparse else matmul.matmul(*shape, **config)
    return assay_tilelang.Kernel(name, func, {"form": "sparse" if sparse else "dense", "e_dtype": e_dtype if sparse else None,
                                              "config": config, "shape": list(shape),
                                              "shared_bytes": roller.shared_bytes(config, sparse)})


def kernels(config, sparse, e_dtype, names=None):
    """The kernels of a variant: a sparse variant takes the compressed A of sparse workloads, and the dense form elsewhere."""
    wanted = [(name, (m, n, k), bool(s) and sparse) for name, (m, n, k, s) in workloads().items()]
    wanted += [(name, shape, False) for name, shape in CASES.items()]
    wanted += [(name, shape, True) for name, shape in SPARSE_CASES.items() if sparse]
    return [one(name, shape, config, form, e_dtype) for name, shape, form in wanted if names is None or name in names]


def main():
    """Builds into ASSAY_BUILD."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("baseline", nargs="?", choices=["ref-prog"])
    arguments.add_argument("--target")
    given = arguments.parse_args()
    folder = os.environ.get("ASSAY_BUILD") or sys.exit("build.py: set ASSAY_BUILD to the output folder; `assay run` does")
    if given.baseline:
        assay_tilelang.declare(folder, given.baseline)
    else:
        assay_tilelang.build(kernels(*parameters()), folder, assay_tilelang.target(given.target))


if __name__ == "__main__":
    main()

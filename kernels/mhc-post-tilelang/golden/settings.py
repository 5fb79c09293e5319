"""The settings whose generated source is kept as facts: every parameter, both kernels, tails, and the baseline."""

import os
import sys

CAMPAIGN = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TARGET = {"kind": "cuda", "arch": "sm_90"}

# name, knob, value, of, shape, parameters; shapes are (B, N, C).
N4, ANY = (128, 4, 4096), (128, 2, 2048)
BASE = {"block_b": 8, "block_c": 128, "threads": 128}


def settings():
    """All settings, in order."""
    rows = []
    for kernel, shape in (("n4", N4), ("any", ANY)):
        rows.append({"name": kernel, "shape": shape, "asked": BASE})
        for knob, values in (("block_b", (1, 64)), ("block_c", (64,)), ("threads", (256,))):
            rows += [{"name": f"{kernel}-{knob}-{value}", "knob": knob, "value": value, "of": kernel, "shape": shape,
                      "asked": {**BASE, knob: value}} for value in values]
    rows += [
        # The dispatch: the same rows and channels through either kernel.
        {"name": "n4-by-any", "knob": "mapping", "value": "generic", "of": "n4", "shape": N4, "asked": BASE, "mapping": "generic"},
        # The baseline: everything staged in shared memory, one row in a block.
        {"name": "n4-unoptimized", "knob": "mapping", "value": "unoptimized", "of": "n4", "shape": N4, "mapping": "unoptimized"},
        # Channels that fill no tile, on either side of the boundary.
        {"name": "tail-129-any", "knob": "tail", "value": 129, "of": "whole-128-any", "shape": (4, 3, 129), "asked": BASE},
        {"name": "tail-129-n4", "knob": "tail", "value": 129, "of": "whole-128-n4", "shape": (8, 4, 129), "asked": BASE},
        {"name": "whole-128-any", "shape": (4, 3, 128), "asked": BASE},
        {"name": "whole-128-n4", "shape": (8, 4, 128), "asked": BASE},
        {"name": "minimum", "shape": (1, 1, 1)},
        {"name": "below-boundary", "shape": (7, 4, 256)},
        {"name": "at-boundary", "shape": (8, 4, 256)},
    ]
    return rows


def program(setting):
    """The TileLang function of a setting, and the configuration of passes."""
    for folder in ("harness", "kernel"):
        path = os.path.join(CAMPAIGN, folder)
        if path not in sys.path:
            sys.path.insert(0, path)
    import baselines
    import mhc_post

    shape, which = setting["shape"], setting.get("mapping")
    if which == "unoptimized":
        return baselines.unoptimized(*shape), {}
    if which == "generic":
        return mhc_post.generic(*shape, **mhc_post.plan(*shape, setting["asked"])[1]), {}
    return mhc_post.kernel(*shape, setting.get("asked"))[0], {}

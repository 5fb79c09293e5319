"""The settings whose generated source is kept as facts: every parameter of the dense and the sparse form, and edges."""

import os
import sys

CAMPAIGN = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TARGET = {"kind": "cuda", "arch": "sm_90"}
BASE = {"block_m": 128, "block_n": 128, "block_k": 64, "num_stages": 2, "threads": 128, "rasterize": True}
KNOBS = (("block_m", (64, 256)), ("block_n", (64, 256)), ("block_k", (32,)), ("num_stages", (0, 1, 3)), ("threads", (256,)),
         ("rasterize", (False,)))
SHAPE = (8192, 8192, 1024)


def settings():
    """All settings, in order."""
    rows = []
    for form in ("dense", "sparse"):
        rows.append({"name": form, "config": BASE})
        rows += [{"name": f"{form}-{knob}-{str(value).lower()}", "knob": knob, "value": value, "of": form,
                  "config": {**BASE, knob: value}} for knob, values in KNOBS for value in values]
    rows += [
        {"name": "sparse-e_dtype-int8", "knob": "e_dtype", "value": "int8", "of": "sparse", "config": BASE, "e_dtype": "int8"},
        # Metadata of 32 bits is for 8-bit operands there.
        {"name": "sparse-e_dtype-int32", "knob": "e_dtype", "value": "int32", "of": "sparse", "config": BASE, "e_dtype": "int32",
         "refused": True},
        {"name": "sparse-form", "knob": "sparse", "value": True, "of": "dense", "config": BASE},
        # Rows that are no multiple of 8 elements: the copy engine cannot take them.
        {"name": "dense-odd-rows", "knob": "alignment", "value": 1001, "of": "dense", "config": BASE, "shape": (1000, 1032, 1001)},
        {"name": "dense-tail", "config": BASE, "shape": (1000, 1032, 1000)},
    ]
    return rows


def program(setting):
    """The TileLang function of a setting, and the configuration of passes."""
    path = os.path.join(CAMPAIGN, "kernel")
    if path not in sys.path:
        sys.path.insert(0, path)
    import matmul

    shape, config = setting.get("shape", SHAPE), setting["config"]
    if setting["name"].startswith("sparse"):
        return matmul.matmul_sp(*shape, **config, e_dtype=setting.get("e_dtype", "int16")), {}
    return matmul.matmul(*shape, **config), {}

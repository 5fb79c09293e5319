"""Every knob of the kernels, one at a time, for `kernels/lower`: what is lowered, and against what it is held."""

from __future__ import annotations

import importlib.util
import os
from typing import Any, Dict, List, Tuple

CAMPAIGN = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

TARGET = {"kind": "cuda", "arch": "sm_90"}
LANGUAGE = "cuda"

# batch 4, 8192 tokens, four experts each, hidden 7168, intermediate 2048; and a small mixture of experts.
DENSE = {"M": 131072, "N": 2048, "K": 7168}
MOE = {"batch": 2, "seq": 2048, "top_k": 4, "experts": 16, "M": 16384, "N": 1536, "K": 4096}

# (knob, values, knobs that both sides have)
ONE_AT_A_TIME: List[Tuple[str, List[Any], Dict[str, Any]]] = [
    ("a_width", [1, 2, 4, 8], {}),
    ("b_interleave", [2, 4, 8, 16], {}),
    ("b_shared", ["plain"], {"b_interleave": 4}),
    ("b_vector", [False], {"b_interleave": 4}),
    ("b_feed", ["fragment"], {"b_interleave": 8}),
    ("panel", [0, 2, 8], {}),
    ("threads", [128, 512], {}),
    ("stages", [1, 2, 3, 4], {}),
    ("policy", ["FullRow", "FullCol"], {}),
    ("block_m", [64, 256], {}),
    ("block_n", [64, 256], {}),
    ("block_k", [32, 128], {}),
    ("c_staging", [False], {}),
    ("c_swizzle", [0, 32, 64, 128, 512, 1024], {}),
    ("c_width", [0, 1, 2, 8], {}),
    ("path", ["wgmma"], {"stages": 3}),
]

# The seed's final version: B in fours, panels of 2, 512 threads, A by four.
FINAL = {"b_interleave": 4, "panel": 2, "threads": 512, "a_width": 4}


def settings() -> List[Dict[str, Any]]:
    """All settings, in order."""
    rows: List[Dict[str, Any]] = [{"name": "default", "layer": "dense", "params": {}}]

    def base(params: Dict[str, Any]) -> str:
        name = "+".join(f"{k}-{v}" for k, v in params.items()) or "default"
        if all(row["name"] != name for row in rows):
            rows.append({"name": name, "layer": "dense", "params": params})
        return name

    for knob, values, common in ONE_AT_A_TIME:
        of = base(common)
        for value in values:
            name = f"{knob}-{value}" if not common else f"{of}+{knob}-{value}"
            rows.append({"name": name, "knob": knob, "value": value, "of": of, "layer": "dense", "params": {**common, knob: value}})
    rows.append({"name": "final", "layer": "dense", "params": FINAL})
    for layer in ("gate-up", "swiglu", "grouped", "moe"):
        of = "default" if layer == "gate-up" else "layer-gate-up" if layer == "swiglu" else "default"
        rows.append({"name": f"layer-{layer}", "knob": "layer", "value": layer, "of": of, "layer": layer, "params": {}})
        rows.append({"name": f"final+layer-{layer}", "layer": layer, "params": FINAL})
    rows.append({"name": "dispatch-fused", "knob": "dispatch", "value": "fused", "of": "layer-moe", "layer": "moe",
                 "params": {"dispatch": "fused"}})
    return rows


def program(setting: Dict[str, Any]) -> Tuple[Any, Dict[str, Any]]:
    """The program of a setting (of a mixture of experts its gate and up projections), and its pass configuration."""
    layers = kernel_module("layers")
    dims = DENSE if setting["layer"] == "dense" else MOE
    programs = layers.programs(setting["params"], "cuda", setting["layer"], dims)
    return next(iter(programs.values())), layers.configs(setting["params"], "cuda", setting["layer"])


def kernel_module(name: str) -> Any:
    """A module of the kernel folder, as the evaluator loads it: its name is free again afterwards."""
    path = os.path.join(CAMPAIGN, "harness", "subject.py")
    spec = importlib.util.spec_from_file_location("gemm_tilelang_subject", path)
    subject = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(subject)
    return subject.module(CAMPAIGN, name)

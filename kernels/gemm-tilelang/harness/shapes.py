"""Workloads of a campaign file, and the shapes of each layer. Standard library only.

The configuration of a mixture of experts becomes the shape of a GEMM: M = batch * seq * top_k rows, K = hidden,
N = intermediate.
"""

from __future__ import annotations

import re
from typing import Any, Dict, List, Tuple

LAYERS = ("dense", "grouped", "gate-up", "swiglu", "moe")


def gemm_dims(given: Dict[str, int]) -> Dict[str, int]:
    """The dims with those that follow; `[dims]` of the campaign file says the same."""
    dims = dict(given)
    dims["M"] = dims["batch"] * dims["seq"] * dims["top_k"]
    dims["K"], dims["N"] = dims["hidden"], dims["intermediate"]
    return dims


def workloads(text: str) -> List[Tuple[str, Dict[str, int]]]:
    """Name and dims of each workload of a campaign file in the form that this campaign has, without a TOML reader."""
    found = []
    for block in text.split("[[workload]]")[1:]:
        name = re.search(r'^name = "([^"]+)"$', block, re.M)
        dims = re.search(r"^dims = \{([^}]*)\}$", block, re.M)
        if not name or not dims:
            raise ValueError("assay.toml: a [[workload]] needs `name = \"…\"` and `dims = { … }`, each on one line")
        pairs = [item.split("=") for item in dims.group(1).split(",")]
        found.append((name.group(1), gemm_dims({key.strip(): int(value) for key, value in pairs})))
    return found


def inputs(layer: str, d: Dict[str, int]) -> Dict[str, Tuple[int, ...]]:
    """Shapes of the half-precision operands: activations first, then weights."""
    M, N, K, E = d["M"], d["N"], d["K"], d.get("experts", 1)
    if layer == "dense":
        return {"A": (M, K), "B": (K, N)}
    if layer == "grouped":
        return {"A": (M, K), "B": (E, K, N)}
    if layer in ("gate-up", "swiglu"):
        return {"A": (M, K), "G": (K, N), "U": (K, N)}
    return {"X": (d["batch"] * d["seq"], K), "G": (E, K, N), "U": (E, K, N), "D": (E, N, K)}


def output(layer: str, d: Dict[str, int]) -> Tuple[int, ...]:
    """Shape of the result."""
    if layer in ("gate-up", "swiglu"):
        return (2 if layer == "gate-up" else 1, d["M"], d["N"])
    return (d["batch"] * d["seq"], d["K"]) if layer == "moe" else (d["M"], d["N"])


def mma_expected(layer: str, target: str, settings: Dict[str, Any], found: int) -> int:
    """Matrix instructions in the source of a layer whose lowering is whole.

    Two for each product of tiles, one where wgmma takes the whole tile. A pipeline of the CUDA lowering states the body of
    its loop again before or after it, more or less often: there, whole pairs and no fewer than without it are right.
    """
    products = {"dense": 1, "grouped": 1, "gate-up": 2, "swiglu": 2, "moe": 3}[layer]
    each = 1 if target == "cuda" and settings["path"] == "wgmma" else 2
    piped = target == "cuda" and settings["stages"] > 0
    return found if piped and found >= each * products and found % each == 0 else each * products


BUILTIN = {"maca": re.compile(r"\b__builtin_mxc_mma_16x16x16f16\b"),
           "cuda": re.compile(r"\btl::(?:mma_sync|wgmma_ss|wgmma_rs)<tl::DataType::kFloat16, tl::DataType::kFloat16, tl::DataType::kFloat32\b")}


def mma_builtins(target: str, source: str) -> int:
    """Calls of the matrix instruction that the contract asks for: fp16 operands, fp32 sums."""
    return len(BUILTIN[target].findall(source))

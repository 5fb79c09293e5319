"""The layers: which programs each needs, how weights are packed, and what one launch does. torch only when used.

The evaluator calls `programs`, `pack` and `bind`, and nothing else of this folder.
"""

from typing import Any, Callable, Dict, List, Mapping, Optional

import gemm
from layout import interleave
from settings import complete, pass_configs

LAYERS = ("dense", "grouped", "gate-up", "swiglu", "moe")


def programs(given: Mapping[str, Any], target: str, layer: str, dims: Mapping[str, int]) -> Dict[str, Any]:
    """The TileLang programs of a layer by name; the first is the GEMM."""
    s = complete(given)
    M, N, K = dims["M"], dims["N"], dims["K"]
    if layer == "dense":
        return {"gemm": gemm.dense(s, target, M, N, K)}
    if layer in ("gate-up", "swiglu"):
        return {"gemm": gemm.gate_up(s, target, M, N, K, activate=layer == "swiglu")}
    if layer == "grouped":
        return {"gemm": gemm.grouped(s, target, M, N, K, dims["experts"])}
    if layer == "moe":
        tokens, top_k, experts = dims["batch"] * dims["seq"], dims["top_k"], dims["experts"]
        out = {"gate_up": gemm.grouped_gate_up(s, target, tokens, M, N, K, experts),
               "down": gemm.grouped(s, target, M, K, N, experts)}
        if s["dispatch"] == "copy":
            out["gather"] = gemm.gather(tokens, M, K)
        out["combine"] = gemm.combine(tokens, top_k, M, K)
        return out
    raise ValueError(f"no layer is called {layer}; there are {', '.join(LAYERS)}")


def configs(given: Mapping[str, Any], target: str, layer: str) -> Dict[str, Any]:
    """Pass configuration that the programs of a layer are compiled with."""
    return pass_configs(complete(given), target, layer)


def pack(given: Mapping[str, Any], weights: List[Any], out: Optional[List[Any]] = None) -> List[Any]:
    """Weights as the kernels want them, into `out` where it is given; the weights themselves where nothing is packed."""
    r = complete(given)["b_interleave"]
    if not r:
        return weights
    packed = out or [w.new_empty(w.shape) for w in weights]
    for w, p in zip(weights, packed):
        interleave(w, p, r)
    return packed


def bind(given: Mapping[str, Any], layer: str, dims: Mapping[str, int], kernels: Mapping[str, Any],
         inputs: Mapping[str, Any], packed: List[Any], out: Any) -> Callable[[], Any]:
    """One launch: reads inputs and packed weights, writes every element of `out`."""
    if layer == "dense":
        return lambda: kernels["gemm"](inputs["A"], packed[0], out)
    if layer in ("gate-up", "swiglu"):
        return lambda: kernels["gemm"](inputs["A"], packed[0], packed[1], out)
    if layer == "grouped":
        return lambda: kernels["gemm"](inputs["A"], packed[0], inputs["sizes"], out)
    return _moe(complete(given), dims, kernels, inputs, packed, out)


def _moe(s: Mapping[str, Any], dims: Mapping[str, int], kernels: Mapping[str, Any], inputs: Mapping[str, Any],
         packed: List[Any], out: Any) -> Callable[[], Any]:
    import torch

    M, N, K, top_k, experts = dims["M"], dims["N"], dims["K"], dims["top_k"], dims["experts"]
    X, ids, weights = inputs["X"], inputs["ids"], inputs["weights"]
    H, D = X.new_empty((M, N)), X.new_empty((M, K))
    A = X.new_empty((M, K)) if s["dispatch"] == "copy" else X
    one = torch.ones(M, dtype=torch.int32, device=X.device)
    count = torch.arange(M, dtype=torch.int32, device=X.device)

    def launch() -> None:
        # The plan follows the routing of this launch, so it is made in it: rows in the order of their experts.
        chosen = ids.view(-1).long()
        order = torch.argsort(chosen, stable=True)
        sizes = torch.zeros(experts, dtype=torch.int32, device=X.device).index_add_(0, chosen, one)
        source = torch.div(order, top_k, rounding_mode="floor").int()
        place = torch.empty_like(count).scatter_(0, order, count).view(-1, top_k)
        if s["dispatch"] == "copy":
            kernels["gather"](X, source, A)
        kernels["gate_up"](A, source, packed[0], packed[1], sizes, H)
        kernels["down"](H, packed[2], sizes, D)
        kernels["combine"](D, place, weights, out)

    return launch

"""The baseline: the same layers in torch. Products are the vendor's; no operand is packed."""

from __future__ import annotations

from typing import Any, Callable, Dict, List

import torch


def bind(layer: str, dims: Dict[str, int], inputs: Dict[str, Any], out: Any) -> Callable[[], Any]:
    """One launch. Sizes of groups are read on the host before, which a kernel on the device does not need: see `sizes`."""
    if layer == "dense":
        return lambda: torch.mm(inputs["A"], inputs["B"], out=out)
    if layer == "gate-up":
        def both() -> None:
            torch.mm(inputs["A"], inputs["G"], out=out[0])
            torch.mm(inputs["A"], inputs["U"], out=out[1])
        return both
    if layer == "swiglu":
        def gated() -> None:
            torch.mul(torch.nn.functional.silu(torch.mm(inputs["A"], inputs["G"])), torch.mm(inputs["A"], inputs["U"]), out=out[0])
        return gated
    return _grouped(inputs, out) if layer == "grouped" else _moe(dims, inputs, out)


def _grouped(inputs: Dict[str, Any], out: Any) -> Callable[[], Any]:
    def launch() -> None:
        start = 0
        for e, size in enumerate(inputs["host_sizes"]):
            if size:
                torch.mm(inputs["A"][start:start + size], inputs["B"][e], out=out[start:start + size])
            start += size
    return launch


def _moe(dims: Dict[str, int], inputs: Dict[str, Any], out: Any) -> Callable[[], Any]:
    top_k = dims["top_k"]

    def launch() -> None:
        chosen = inputs["ids"].view(-1)
        order = torch.argsort(chosen, stable=True)
        rows = inputs["X"].index_select(0, torch.div(order, top_k, rounding_mode="floor"))
        result, start = torch.empty_like(rows), 0
        for e, size in enumerate(inputs["host_sizes"]):
            if size:
                part = rows[start:start + size]
                hidden = torch.nn.functional.silu(part @ inputs["G"][e]) * (part @ inputs["U"][e])
                torch.mm(hidden, inputs["D"][e], out=result[start:start + size])
            start += size
        place = torch.empty_like(order).scatter_(0, order, torch.arange(len(order), device=order.device))
        chosen_rows = result[place].view(len(out), top_k, -1)
        out.copy_((chosen_rows * inputs["weights"].unsqueeze(2)).sum(dim=1))
    return launch


def sizes(layer: str, dims: Dict[str, int], inputs: Dict[str, Any]) -> List[int]:
    """Sizes of the groups, on the host."""
    if layer == "grouped":
        return inputs["sizes"].tolist()
    if layer == "moe":
        return torch.bincount(inputs["ids"].view(-1).long(), minlength=dims["experts"]).tolist()
    return []

"""What is right, in torch: exact products in fp64, how far a result may be from them, and inputs.

An element of a product may differ from the exact one by

    |exact| * 2^-11     rounding the result to fp16, to the nearest
    + s * 2^-17         summing in fp32 in any order, with the truncation of matrix units; s is the sum of |a| |b|
    + 2^-25             rounding among the smallest fp16 numbers

and through silu(g) * u, whose factors may be rounded to fp16 too, and the second product as far as errors of that size
carry. `max_rel_error` is the largest
difference in units of what is allowed: at most 1 is right. Sums that are kept in fp16 are wrong by several units.

Where the operands are -1, 0 and 1 every sum is an integer that fp16 and fp32 hold, so that every order of summation gives
the same: there the result must be equal, bit by bit.
"""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

import torch

import shapes

ROUND, SUM, LEAST, EXP = 2.0**-11, 2.0**-17, 2.0**-25, 2.0**-20
CHUNK = 8192


def draw(layer: str, dims: Dict[str, int], generator: Any, device: Any, integers: bool = False) -> Dict[str, Any]:
    """Inputs of a layer. Groups are of uneven sizes, and one is empty where there are more than two."""
    out: Dict[str, Any] = {}
    for name, shape in shapes.inputs(layer, dims).items():
        out[name] = torch.empty(shape, dtype=torch.float16, device=device)
    refill(layer, dims, out, generator, integers)
    return out


def refill(layer: str, dims: Dict[str, int], inputs: Dict[str, Any], generator: Any, integers: bool = False) -> None:
    """New contents for the same tensors."""
    device = next(iter(inputs.values())).device
    for name, shape in shapes.inputs(layer, dims).items():
        if integers:
            inputs[name].random_(-1, 2, generator=generator)
            if name not in ("A", "X"):
                # Sparse enough that no sum leaves what fp16 holds: at most 2048.
                inputs[name].mul_(torch.rand(shape, generator=generator, device=device) < 0.5)
        else:
            inputs[name].uniform_(-1, 1, generator=generator)
            if name not in ("A", "X"):
                inputs[name].mul_(2.0 / shape[-2] ** 0.5)
    experts = dims.get("experts", 1)
    if layer == "grouped":
        sizes = group_sizes(dims["M"], experts, generator, device)
        inputs["sizes"] = sizes if "sizes" not in inputs else inputs["sizes"].copy_(sizes)
    if layer == "moe":
        tokens, top_k = dims["batch"] * dims["seq"], dims["top_k"]
        score = torch.rand((tokens, experts), generator=generator, device=device)
        # Some experts are asked for more often than others.
        score += torch.rand((1, experts), generator=generator, device=device)
        best = score.topk(top_k, dim=1)
        weights = torch.softmax(best.values, dim=1).float().contiguous()
        new = {"ids": best.indices.int().contiguous(), "weights": weights}
        for name, value in new.items():
            inputs[name] = value if name not in inputs else inputs[name].copy_(value)


def group_sizes(rows: int, experts: int, generator: Any, device: Any) -> Any:
    """Rows of each group, as int32: uneven, with one empty group where there are more than two."""
    share = torch.rand(experts, generator=generator, device=device).double() ** 2 + 0.05
    if experts > 2:
        share[int(torch.randint(experts, (1,), generator=generator, device=device))] = 0
    ends = (share.cumsum(0) / share.sum() * rows).round().long()
    ends[-1] = rows
    ends = torch.cummax(ends, 0).values
    return torch.diff(ends, prepend=ends.new_zeros(1)).int()


class Expected:
    """The exact result and what each element may be off by."""

    def __init__(self, exact: Any, allowed: Any) -> None:
        self.exact, self.allowed = exact, allowed

    def errors(self, out: Any) -> Tuple[float, float]:
        """Largest difference, and largest in units of what is allowed; infinite where a result is no number."""
        worst = relative = 0.0
        for exact, allowed, got in zip(self.exact.split(CHUNK), self.allowed.split(CHUNK), out.view(self.exact.shape).split(CHUNK)):
            off = (got.to(exact.dtype) - exact).abs()
            if not bool(torch.isfinite(off).all()):
                return float("inf"), float("inf")
            worst = max(worst, float(off.max()))
            relative = max(relative, float((off / allowed).max()))
        return worst, relative


def expected(layer: str, dims: Dict[str, int], inputs: Dict[str, Any], dtype: Any = torch.float64) -> Expected:
    """The result of a layer. fp64 for the check; fp32 is a hundred times closer than fp16 rounds, and quicker."""
    slack = SUM if dtype is torch.float64 else 2 * SUM
    if layer == "dense":
        exact, scale = _product(inputs["A"], inputs["B"], dtype)
        return _rounded(exact, scale, slack)
    if layer == "gate-up":
        parts = [_product(inputs["A"], inputs[w], dtype) for w in "GU"]
        return _rounded(torch.cat([p[0] for p in parts]), torch.cat([p[1] for p in parts]), slack)
    if layer == "swiglu":
        exact, off = _gated(inputs["A"], inputs["G"], inputs["U"], dtype, slack)
        return Expected(exact, exact.abs() * ROUND + off + LEAST)
    if layer == "grouped":
        parts = [_product(a, inputs["B"][e], dtype) for e, a in _groups(inputs["A"], inputs["sizes"].tolist())]
        return _rounded(torch.cat([p[0] for p in parts]), torch.cat([p[1] for p in parts]), slack)
    return _moe(dims, inputs, dtype, slack)


def _product(a: Any, b: Any, dtype: Any) -> Tuple[Any, Any]:
    b = b.to(dtype)
    exact, scale = [], []
    for rows in a.split(CHUNK):
        rows = rows.to(dtype)
        exact.append(rows @ b)
        scale.append(rows.abs() @ b.abs())
    if not exact:
        return b.new_empty((0, b.shape[1])), b.new_empty((0, b.shape[1]))
    return torch.cat(exact), torch.cat(scale)


def _rounded(exact: Any, scale: Any, slack: float) -> Expected:
    return Expected(exact, exact.abs() * ROUND + scale * slack + LEAST)


def _gated(a: Any, g: Any, u: Any, dtype: Any, slack: float) -> Tuple[Any, Any]:
    """silu(a g) * (a u), and how far sums in fp32, its exponential and factors kept in fp16 may move it.

    The slope of silu is at most 1.1. That gate, up and silu may be rounded to fp16 on the way is what a layer in several
    kernels does; a fused one need not.
    """
    gate, gate_scale = _product(a, g, dtype)
    up, up_scale = _product(a, u, dtype)
    silu = gate * torch.sigmoid(gate)
    exact = silu * up
    sums = 1.1 * up.abs() * gate_scale * slack + silu.abs() * up_scale * slack
    return exact, sums + exact.abs() * (EXP + 2 * ROUND) + 1.1 * (up * gate).abs() * ROUND


def _groups(a: Any, sizes: List[int]) -> List[Tuple[int, Any]]:
    return [(e, rows) for e, rows in enumerate(a.split(sizes)) if len(rows)]


def _moe(dims: Dict[str, int], inputs: Dict[str, Any], dtype: Any, slack: float) -> Expected:
    """Expert by expert, without the detour of sorted rows: another way than the kernels'."""
    ids, weights = inputs["ids"].long(), inputs["weights"].to(dtype)
    exact = torch.zeros(inputs["X"].shape, dtype=dtype, device=ids.device)
    off = torch.zeros_like(exact)
    for e in range(dims["experts"]):
        token, choice = torch.nonzero(ids == e, as_tuple=True)
        if not len(token):
            continue
        hidden, hidden_off = _gated(inputs["X"][token], inputs["G"][e], inputs["U"][e], dtype, slack)
        hidden_off = hidden_off + hidden.abs() * ROUND + LEAST
        down = inputs["D"][e].to(dtype)
        result = hidden @ down
        # Errors of the hidden values are independent: four times their spread is beyond any that occurs.
        spread = 4 * ((hidden_off**2) @ (down**2)).sqrt()
        result_off = spread + (hidden.abs() @ down.abs()) * slack + result.abs() * ROUND + LEAST
        weight = weights[token, choice].unsqueeze(1)
        exact.index_add_(0, token, weight * result)
        off.index_add_(0, token, weight * result_off)
    return Expected(exact, off + exact.abs() * ROUND + LEAST)

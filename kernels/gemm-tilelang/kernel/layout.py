"""Where elements lie: the swizzle of a tile in shared memory, and packed weights in global memory. No import of TileLang."""

from typing import Any


def swizzled(i: Any, j: Any, swizzle_bytes: int) -> list:
    """Where element (i, j) of a tile of halves lies: groups of 16 bytes are exchanged within `swizzle_bytes` of a row.

    A swizzle wider than the row leaves gaps: 512 and 1024 bytes take two and four times the memory of a row of 256.
    """
    groups = swizzle_bytes // 16
    group = j // 8
    turned = group // groups * groups + (group % groups ^ (i // max(1, 8 // groups)) % groups)
    return [i, turned * 8 + j % 8]


def interleave(w: Any, out: Any, r: int) -> None:
    """Packs [K, N] as [K/r, N, r], for each expert: r values along K lie side by side."""
    *experts, K, N = w.shape
    if K % r:
        raise ValueError(f"K = {K} is no multiple of b_interleave = {r}")
    out.view(*experts, K // r, N, r).copy_(w.view(*experts, K // r, r, N).transpose(-1, -2))

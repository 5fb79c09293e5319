"""What is right for mhc_post; independent of the kernels, in torch alone.

The value is computed in fp64. A result may be off by rounding to bf16 once (2^-8 of it, half a unit in the last place)
and by the two operations in fp32 (2^-22 of the largest operands). An error is given in units of that, so that 1 is the
limit: a product that was rounded to bf16 is wrong by several units where the sum is small.
"""

import torch

# Rows that are compared at once are so many that this number of elements is not exceeded.
PORTION = 1 << 25


def reference(x, h, res):
    """The published reference: a matrix product in fp32, a sum, and rounding to bf16."""
    batch, n = h.shape
    product = (h.unsqueeze(2).float() @ x.unsqueeze(1).float()).reshape(batch, n * x.shape[1])
    return (product + res.float()).to(torch.bfloat16)


def errors(x, h, res, out, dtype=torch.float64):
    """(largest difference, largest error in units of what is allowed); NaN where an element is not a number."""
    batch, n = h.shape
    c = x.shape[1]
    if out.numel() == 0:
        return 0.0, 0.0
    largest = float(h.abs().max()) * float(x.abs().max()) + float(res.abs().max())
    slack = 2.0 ** -22 * largest
    rows = max(1, PORTION // max(1, n * c))
    worst = torch.zeros(2, dtype=torch.float64, device=out.device)
    for at in range(0, batch, rows):
        part = slice(at, min(batch, at + rows))
        want = h[part].to(dtype).unsqueeze(2) * x[part].to(dtype).unsqueeze(1)
        want += res[part].to(dtype).view(-1, n, c)
        off = (out[part].to(dtype).view(-1, n, c) - want).abs_()
        worst[0] = torch.maximum(worst[0], off.max().double())
        worst[1] = torch.maximum(worst[1], (off / (want.abs_() * 2.0 ** -8 + slack)).max().double())
    found = worst.tolist()
    return found[0], found[1]


def inputs(shape, device, generator, make=torch.empty):
    """(x, h, res) of (B, N, C), drawn anew; `make(shape, dtype=, device=)` gives the memory."""
    batch, n, c = shape
    x = make((batch, c), dtype=torch.bfloat16, device=device)
    h = make((batch, n), dtype=torch.float32, device=device)
    res = make((batch, n * c), dtype=torch.bfloat16, device=device)
    for t in (x, h, res):
        t.normal_(generator=generator)
    return x, h, res

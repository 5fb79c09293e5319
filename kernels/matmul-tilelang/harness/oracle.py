"""What is right for the matmul; independent of the kernels, in torch alone.

Products of fp16 are exact in fp32. The device sums parts of the depth in fp32, with TF32 off, and adds the parts in fp64.
A result may be off by rounding to fp16 (2^-11 of it), by summing in fp32 in any order (2^-17 of the sum of magnitudes,
which covers the truncation of tensor cores), and by 2^-25. An error is given in units of that, so that 1 is the limit.
"""

import torch

# Depth that is summed in fp32 at once.
PART = 512
PLACES = 24


def ref_prog(a, b):
    """The published reference: a framework's product, fp16 in and out."""
    return a @ b.T


def product(a, b):
    """A B^T, as an fp32 tensor whose error is far below what is allowed."""
    allowed = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = False
    try:
        total = torch.zeros(a.shape[0], b.shape[0], dtype=torch.float64, device=a.device)
        for at in range(0, a.shape[1], PART):
            total += a[:, at:at + PART].float() @ b[:, at:at + PART].float().T
        return total.float()
    finally:
        torch.backends.cuda.matmul.allow_tf32 = allowed


def allowance(a, b, want):
    """What each element may be off by."""
    return want.abs() * 2.0 ** -11 + product(a.abs(), b.abs()) * 2.0 ** -17 + 2.0 ** -25


def spot_check(a, b, want, random):
    """A text when the reference differs from the host's exact sums in a few places; `random()` gives whole numbers."""
    for _ in range(PLACES):
        i, j = random() % a.shape[0], random() % b.shape[0]
        exact = float((a[i].cpu().double() * b[j].cpu().double()).sum())
        size = float((a[i].cpu().double() * b[j].cpu().double()).abs().sum())
        if not abs(float(want[i, j]) - exact) <= 2.0 ** -20 * size + 2.0 ** -25:
            return f"the oracle has {float(want[i, j])} at ({i}, {j}) and the host {exact}"
    return ""


def errors(out, want, allowed, signs=None):
    """(largest difference, largest error in units of what is allowed); NaN where an element is not a number.

    `signs` are those of rows and columns that the operands were multiplied by since `want` was computed.
    """
    if signs is not None:
        want = want * signs[0][:, None] * signs[1][None, :]
    off = (out.float() - want).abs_()
    return float(off.max()), float((off / allowed).max())

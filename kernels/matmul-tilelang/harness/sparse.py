"""2:4 sparsity: a matrix with at most two values that are not 0 in each group of four, its compressed form, and back.

Of each group of four elements along K two are kept, in their order. Four bits of metadata tell their places: the first
in bits 0 and 1, the second in bits 2 and 3. Metadata is row major like A; in one element of it the group with the
smallest k has the lowest bits. This is the form that `T.gemm_sp` of TileLang 0.1.15 takes; its package has no compressor.
"""

import torch

DTYPES = {"int8": torch.int8, "int16": torch.int16}


def prune(a):
    """A copy of `a` with the two smallest magnitudes of each group of four set to 0."""
    groups = a.reshape(a.shape[0], -1, 4)
    drop = groups.abs().topk(2, dim=-1, largest=False).indices
    return groups.clone().scatter_(-1, drop, 0).view_as(a)


def factor(e_dtype):
    """How many elements of the expanded matrix one element of metadata tells of."""
    return torch.iinfo(DTYPES[e_dtype]).bits // 4 * 4


def compress(a, e_dtype="int16"):
    """(values, metadata) of a 2:4 sparse matrix; refuses one that is not."""
    rows, columns = a.shape
    if columns % factor(e_dtype):
        raise ValueError(f"K = {columns} is no multiple of {factor(e_dtype)}, which one {e_dtype} of metadata covers")
    groups = a.view(rows, columns // 4, 4)
    if int((groups != 0).sum(-1).max()) > 2:
        raise ValueError("a group of four has more than two values that are not 0: the matrix is not 2:4 sparse")
    # Those that are not 0 first, in their order; a group with fewer is filled up with zeros of it.
    places = torch.argsort((groups == 0).to(torch.int8), dim=-1, stable=True)[..., :2].sort(-1).values
    values = groups.gather(-1, places).view(rows, columns // 2)
    bits = places[..., 0] | places[..., 1] << 2
    many = factor(e_dtype) // 4
    shifts = 4 * torch.arange(many, device=a.device)
    metadata = (bits.view(rows, -1, many) << shifts).sum(-1)
    return values.contiguous(), metadata.to(DTYPES[e_dtype])


def expand(values, metadata):
    """The matrix that a compressed form is of."""
    rows = values.shape[0]
    many = torch.iinfo(metadata.dtype).bits // 4
    shifts = 4 * torch.arange(many, device=values.device)
    bits = (metadata.long().unsqueeze(-1) >> shifts & 15).view(rows, -1)
    places = torch.stack((bits & 3, bits >> 2), dim=-1)
    out = torch.zeros(rows, bits.shape[1], 4, dtype=values.dtype, device=values.device)
    return out.scatter_(-1, places, values.view(rows, -1, 2)).view(rows, -1)

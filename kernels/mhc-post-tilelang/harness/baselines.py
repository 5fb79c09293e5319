"""The baseline kernel: mhc_post before its optimisation, written from what is published of it.

One program works on all branches of its rows and channels, and stages x_res and x_out in shared memory too. The grid has
C // block_c tiles, so that channels that fill no tile would stay unwritten: those shapes are refused here.
"""

import tilelang.language as T


def unoptimized(batch, n, c, block_c=128, threads=128):
    """The TileLang function of a shape whose channels are a multiple of `block_c`."""
    if c % block_c:
        raise ValueError(f"C = {c} is no multiple of {block_c}")

    @T.prim_func
    def mhc_post_before(x: T.Tensor((batch, c), "bfloat16"), h: T.Tensor((batch, n), "float32"),
                        res: T.Tensor((batch, n * c), "bfloat16"), out: T.Tensor((batch, n * c), "bfloat16")):
        with T.Kernel(batch, c // block_c, threads=threads) as (bx, bz):
            x_tile = T.alloc_shared((block_c,), "bfloat16")
            h_tile = T.alloc_shared((n,), "float32")
            res_tile = T.alloc_shared((n, block_c), "bfloat16")
            out_tile = T.alloc_shared((n, block_c), "bfloat16")
            for j in T.Parallel(block_c):
                x_tile[j] = x[bx, bz * block_c + j]
            for b in T.Parallel(n):
                h_tile[b] = h[bx, b]
            for b, j in T.Parallel(n, block_c):
                res_tile[b, j] = res[bx, b * c + bz * block_c + j]
            for b, j in T.Parallel(n, block_c):
                out_tile[b, j] = T.cast(h_tile[b] * T.cast(x_tile[j], "float32") + T.cast(res_tile[b, j], "float32"),
                                        "bfloat16")
            for b, j in T.Parallel(n, block_c):
                out[bx, b * c + bz * block_c + j] = out_tile[b, j]

    return mhc_post_before

"""fp16 matmul in TileLang: C[M, N] = A[M, K] B[N, K]^T, sums in fp32; and the form where A is 2:4 sparse.

One source for the targets `cuda` and `maca`: nothing here names either. The sparse form was generated for `cuda` alone.
"""

import tilelang.language as T

# The published space: 3 * 3 * 2 * 4 * 2 * 2 = 288 configurations, all with the warp policy `Square`.
SPACE = {"block_m": (64, 128, 256), "block_n": (64, 128, 256), "block_k": (32, 64), "num_stages": (0, 1, 2, 3),
         "threads": (128, 256), "rasterize": (True, False)}
# Columns of blocks that a panel of the rasterized order is wide.
PANEL = 10
# Elements of the expanded A that one element of metadata tells of: four bits for each group of four.
# (32 bits are for 8-bit values of A in TileLang 0.1.15, which says so.)
E_FACTOR = {"int8": 8, "int16": 16, "int32": 32}


def matmul(m, n, k, block_m, block_n, block_k, num_stages, threads, rasterize):
    """The dense TileLang function; parameters A, B, C. Edges of any size are masked."""

    @T.prim_func
    def dense(A: T.Tensor((m, k), "float16"), B: T.Tensor((n, k), "float16"), C: T.Tensor((m, n), "float16")):
        with T.Kernel(T.ceildiv(n, block_n), T.ceildiv(m, block_m), threads=threads) as (bx, by):
            a_tile = T.alloc_shared((block_m, block_k), "float16")
            b_tile = T.alloc_shared((block_n, block_k), "float16")
            sums = T.alloc_fragment((block_m, block_n), "float32")
            c_tile = T.alloc_shared((block_m, block_n), "float16")
            T.use_swizzle(panel_size=PANEL, enable=rasterize)
            T.clear(sums)
            for step in T.Pipelined(T.ceildiv(k, block_k), num_stages=num_stages):
                T.copy(A[by * block_m, step * block_k], a_tile)
                T.copy(B[bx * block_n, step * block_k], b_tile)
                T.gemm(a_tile, b_tile, sums, transpose_B=True, policy=T.GemmWarpPolicy.Square)
            T.copy(sums, c_tile)
            T.copy(c_tile, C[by * block_m, bx * block_n])

    return dense


def matmul_sp(m, n, k, block_m, block_n, block_k, num_stages, threads, rasterize, e_dtype="int16"):
    """The 2:4 sparse TileLang function; parameters: values of A (M, K / 2), metadata (M, K / E_FACTOR), B, C.

    `harness/sparse.py` says what the metadata holds. K is a multiple of `block_k`.
    """
    factor = E_FACTOR[e_dtype]

    @T.prim_func
    def sparse(A: T.Tensor((m, k // 2), "float16"), E: T.Tensor((m, k // factor), e_dtype),
               B: T.Tensor((n, k), "float16"), C: T.Tensor((m, n), "float16")):
        with T.Kernel(T.ceildiv(n, block_n), T.ceildiv(m, block_m), threads=threads) as (bx, by):
            a_tile = T.alloc_shared((block_m, block_k // 2), "float16")
            e_tile = T.alloc_shared((block_m, block_k // factor), e_dtype)
            b_tile = T.alloc_shared((block_n, block_k), "float16")
            sums = T.alloc_fragment((block_m, block_n), "float32")
            c_tile = T.alloc_shared((block_m, block_n), "float16")
            T.use_swizzle(panel_size=PANEL, enable=rasterize)
            T.clear(sums)
            for step in T.Pipelined(T.ceildiv(k, block_k), num_stages=num_stages):
                T.copy(A[by * block_m, step * (block_k // 2)], a_tile)
                T.copy(E[by * block_m, step * (block_k // factor)], e_tile)
                T.copy(B[bx * block_n, step * block_k], b_tile)
                T.gemm_sp(a_tile, e_tile, b_tile, sums, transpose_B=True, policy=T.GemmWarpPolicy.Square)
            T.copy(sums, c_tile)
            T.copy(c_tile, C[by * block_m, bx * block_n])

    return sparse

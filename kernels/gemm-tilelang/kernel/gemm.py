"""TileLang programs: fp16 GEMM with fp32 accumulation, and the layers of a mixture of experts built of it.

One text for the targets `cuda` and `maca`. Every knob is one of settings.py. Shapes are static.
"""

from typing import Any, Mapping

import tilelang.language as T

from layout import swizzled
from settings import Refused, feed

HALF, FLOAT, INT = "float16", "float32", "int32"


class Tile:
    """The steps of one block, as macros: every program below is made of these."""

    def __init__(self, s: Mapping[str, Any], target: str, N: int, K: int) -> None:
        bm, bn, bk, r = s["block_m"], s["block_n"], s["block_k"], s["b_interleave"]
        if N % bn or K % bk:
            raise Refused(f"N = {N} and K = {K} must be multiples of block_n = {bn} and block_k = {bk}")
        self.s, self.bm, self.bn, self.bk, self.r, self.N, self.K = s, bm, bn, bk, r, N, K
        self.how = feed(s, target)
        self.policy = getattr(T.GemmWarpPolicy, s["policy"])
        self.b_shape = (bn, bk) if self.how == "transposed" else (bk, bn)
        self.interleaved = bool(r) and s["b_shared"] == "interleaved"
        # coalesced_width is given only where it is set: the default is the backend's.
        self.a_copy = {"coalesced_width": T.IntImm(INT, s["a_width"])} if s["a_width"] else {}
        self.c_copy = {"coalesced_width": T.IntImm(INT, s["c_width"])} if s["c_width"] else {}

    def b_layout(self) -> Any:
        """Layout of the tile of B in shared memory."""
        r = self.r
        if self.how == "transposed":
            return T.Layout(self.b_shape, lambda j, i: (i // r, j, i % r))
        return T.Layout(self.b_shape, lambda i, j: (i // r, j, i % r))

    def b_global(self, experts: int = 0) -> Any:
        """Layout of packed B in global memory."""
        r = self.r
        if experts:
            return T.Layout((experts, self.K, self.N), lambda e, i, j: (e, i // r, j, i % r))
        return T.Layout((self.K, self.N), lambda i, j: (i // r, j, i % r))

    def c_layout(self) -> Any:
        """Layout of the tile of C in shared memory."""
        width = self.s["c_swizzle"]
        return T.Layout((self.bm, self.bn), lambda i, j: swizzled(i, j, width))


def dense(s: Mapping[str, Any], target: str, M: int, N: int, K: int) -> Any:
    """C = A B."""
    t = Tile(s, target, N, K)
    bm, bn, bk, r = t.bm, t.bn, t.bk, t.r
    load_b, multiply = _load_b(t), _multiply(t)

    @T.prim_func
    def gemm(A: T.Tensor((M, K), HALF), B: T.Tensor((K, N), HALF), C: T.Tensor((M, N), HALF)):
        with T.Kernel(T.ceildiv(N, bn), T.ceildiv(M, bm), threads=s["threads"]) as (bx, by):
            A_shared = T.alloc_shared((bm, bk), HALF)
            B_shared = T.alloc_shared(t.b_shape, HALF)
            C_local = T.alloc_fragment((bm, bn), FLOAT)
            if r:
                T.annotate_layout({B: t.b_global()})
            if t.interleaved:
                T.annotate_layout({B_shared: t.b_layout()})
            if s["panel"]:
                T.use_swizzle(panel_size=s["panel"], order="column", enable=True)
            T.clear(C_local)
            for k in T.Pipelined(K // bk, num_stages=s["stages"]):
                T.copy(A[by * bm, k * bk], A_shared, **t.a_copy)
                load_b(B, B_shared, k, bx)
                multiply(A_shared, B_shared, C_local)
            if s["c_staging"]:
                C_shared = T.alloc_shared((bm, bn), HALF)
                if s["c_swizzle"]:
                    T.annotate_layout({C_shared: t.c_layout()})
                T.copy(C_local, C_shared)
                T.copy(C_shared, C[by * bm, bx * bn], **t.c_copy)
            else:
                T.copy(C_local, C[by * bm, bx * bn], **t.c_copy)

    return gemm


def gate_up(s: Mapping[str, Any], target: str, M: int, N: int, K: int, activate: bool) -> Any:
    """Two projections of one A: O[0] = A G and O[1] = A U, or with `activate` O[0] = silu(A G) * (A U)."""
    t = Tile(s, target, N, K)
    bm, bn, bk, r = t.bm, t.bn, t.bk, t.r
    load_b, multiply, gated = _load_b(t), _multiply(t), _gated(t)
    outs = 1 if activate else 2

    @T.prim_func
    def gate_up_gemm(A: T.Tensor((M, K), HALF), G: T.Tensor((K, N), HALF), U: T.Tensor((K, N), HALF), O: T.Tensor((outs, M, N), HALF)):
        with T.Kernel(T.ceildiv(N, bn), T.ceildiv(M, bm), threads=s["threads"]) as (bx, by):
            A_shared = T.alloc_shared((bm, bk), HALF)
            G_shared = T.alloc_shared(t.b_shape, HALF)
            U_shared = T.alloc_shared(t.b_shape, HALF)
            G_local = T.alloc_fragment((bm, bn), FLOAT)
            U_local = T.alloc_fragment((bm, bn), FLOAT)
            if r:
                T.annotate_layout({G: t.b_global(), U: t.b_global()})
            if t.interleaved:
                T.annotate_layout({G_shared: t.b_layout(), U_shared: t.b_layout()})
            if s["panel"]:
                T.use_swizzle(panel_size=s["panel"], order="column", enable=True)
            T.clear(G_local)
            T.clear(U_local)
            for k in T.Pipelined(K // bk, num_stages=s["stages"]):
                T.copy(A[by * bm, k * bk], A_shared, **t.a_copy)
                load_b(G, G_shared, k, bx)
                load_b(U, U_shared, k, bx)
                multiply(A_shared, G_shared, G_local)
                multiply(A_shared, U_shared, U_local)
            if activate:
                gated(G_local, U_local)
            if s["c_staging"]:
                C_shared = T.alloc_shared((bm, bn), HALF)
                if s["c_swizzle"]:
                    T.annotate_layout({C_shared: t.c_layout()})
                T.copy(G_local, C_shared)
                T.copy(C_shared, O[0, by * bm, bx * bn], **t.c_copy)
                if not activate:
                    T.copy(U_local, C_shared)
                    T.copy(C_shared, O[1, by * bm, bx * bn], **t.c_copy)
            else:
                T.copy(G_local, O[0, by * bm, bx * bn], **t.c_copy)
                if not activate:
                    T.copy(U_local, O[1, by * bm, bx * bn], **t.c_copy)

    return gate_up_gemm


def tile_rows(M: int, experts: int, block_m: int) -> int:
    """Most tiles that M rows in groups can need: each group ends in at most one that is not full."""
    return M // block_m + experts


def grouped(s: Mapping[str, Any], target: str, M: int, N: int, K: int, experts: int) -> Any:
    """Rows of A in groups, one after another; group e has `sizes[e]` of them and B[e]."""
    t = Tile(s, target, N, K)
    bm, bn, bk, r = t.bm, t.bn, t.bk, t.r
    load_b, multiply, find, store = _load_expert(t), _multiply(t), _find(t, experts), _store_rows(t)

    @T.prim_func
    def grouped_gemm(A: T.Tensor((M, K), HALF), B: T.Tensor((experts, K, N), HALF), sizes: T.Tensor((experts,), INT),
             C: T.Tensor((M, N), HALF)):
        with T.Kernel(T.ceildiv(N, bn), tile_rows(M, experts, bm), threads=s["threads"]) as (bx, by):
            A_shared = T.alloc_shared((bm, bk), HALF)
            B_shared = T.alloc_shared(t.b_shape, HALF)
            C_local = T.alloc_fragment((bm, bn), FLOAT)
            tile = T.alloc_local((5,), INT)
            if r:
                T.annotate_layout({B: t.b_global(experts)})
            if t.interleaved:
                T.annotate_layout({B_shared: t.b_layout()})
            if s["panel"]:
                T.use_swizzle(panel_size=s["panel"], order="column", enable=True)
            find(sizes, by, tile)
            T.clear(C_local)
            if tile[1] < tile[2]:
                for k in T.Pipelined(K // bk, num_stages=s["stages"]):
                    T.copy(A[tile[1], k * bk], A_shared, **t.a_copy)
                    load_b(B, B_shared, k, bx, tile[0])
                    multiply(A_shared, B_shared, C_local)
            if s["c_staging"]:
                C_shared = T.alloc_shared((bm, bn), HALF)
                if s["c_swizzle"]:
                    T.annotate_layout({C_shared: t.c_layout()})
                T.copy(C_local, C_shared)
                store(C_shared, C, tile, bx)
            else:
                store(C_local, C, tile, bx)

    return grouped_gemm


def grouped_gate_up(s: Mapping[str, Any], target: str, tokens: int, M: int, N: int, K: int, experts: int) -> Any:
    """H = silu(A G[e]) * (A U[e]) for rows in groups; with `dispatch = "fused"` row i of A is row source[i] of X."""
    t = Tile(s, target, N, K)
    bm, bn, bk, r = t.bm, t.bn, t.bk, t.r
    load_b, multiply, gated = _load_expert(t), _multiply(t), _gated(t)
    find, store = _find(t, experts), _store_rows(t)
    fused = s["dispatch"] == "fused"
    rows = tokens if fused else M

    @T.prim_func
    def grouped_gate_up_gemm(X: T.Tensor((rows, K), HALF), source: T.Tensor((M,), INT), G: T.Tensor((experts, K, N), HALF),
             U: T.Tensor((experts, K, N), HALF), sizes: T.Tensor((experts,), INT), H: T.Tensor((M, N), HALF)):
        with T.Kernel(T.ceildiv(N, bn), tile_rows(M, experts, bm), threads=s["threads"]) as (bx, by):
            A_shared = T.alloc_shared((bm, bk), HALF)
            G_shared = T.alloc_shared(t.b_shape, HALF)
            U_shared = T.alloc_shared(t.b_shape, HALF)
            G_local = T.alloc_fragment((bm, bn), FLOAT)
            U_local = T.alloc_fragment((bm, bn), FLOAT)
            tile = T.alloc_local((5,), INT)
            if r:
                T.annotate_layout({G: t.b_global(experts), U: t.b_global(experts)})
            if t.interleaved:
                T.annotate_layout({G_shared: t.b_layout(), U_shared: t.b_layout()})
            if s["panel"]:
                T.use_swizzle(panel_size=s["panel"], order="column", enable=True)
            find(sizes, by, tile)
            T.clear(G_local)
            T.clear(U_local)
            if tile[1] < tile[2]:
                for k in T.Pipelined(K // bk, num_stages=s["stages"]):
                    if fused:
                        for i, j in T.Parallel(bm, bk, **t.a_copy):
                            A_shared[i, j] = X[source[T.min(tile[1] + i, M - 1)], k * bk + j]
                    else:
                        T.copy(X[tile[1], k * bk], A_shared, **t.a_copy)
                    load_b(G, G_shared, k, bx, tile[0])
                    load_b(U, U_shared, k, bx, tile[0])
                    multiply(A_shared, G_shared, G_local)
                    multiply(A_shared, U_shared, U_local)
            gated(G_local, U_local)
            if s["c_staging"]:
                C_shared = T.alloc_shared((bm, bn), HALF)
                if s["c_swizzle"]:
                    T.annotate_layout({C_shared: t.c_layout()})
                T.copy(G_local, C_shared)
                store(C_shared, H, tile, bx)
            else:
                store(G_local, H, tile, bx)

    return grouped_gate_up_gemm


def gather(tokens: int, M: int, K: int, threads: int = 256) -> Any:
    """Dispatch: row i of A is row source[i] of X."""
    @T.prim_func
    def gather_rows(X: T.Tensor((tokens, K), HALF), source: T.Tensor((M,), INT), A: T.Tensor((M, K), HALF)):
        with T.Kernel(M, threads=threads) as row:
            for j in T.Parallel(K):
                A[row, j] = X[source[row], j]

    return gather_rows


def combine(tokens: int, top_k: int, M: int, K: int, threads: int = 256) -> Any:
    """Row t of Y is the sum of the rows place[t, j] of D, weighted in fp32 and in this order."""
    @T.prim_func
    def combine_rows(D: T.Tensor((M, K), HALF), place: T.Tensor((tokens, top_k), INT), weights: T.Tensor((tokens, top_k), FLOAT),
                     Y: T.Tensor((tokens, K), HALF)):
        with T.Kernel(tokens, threads=threads) as token:
            total = T.alloc_fragment((K,), FLOAT)
            T.clear(total)
            for c in T.serial(top_k):
                for j in T.Parallel(K):
                    total[j] += weights[token, c] * T.cast(D[place[token, c], j], FLOAT)
            T.copy(total, Y[token, 0:K])

    return combine_rows


# ---- steps


def _load_b(t: Tile) -> Any:
    bk, bn, r = t.bk, t.bn, t.r
    transposed = t.how == "transposed"

    @T.macro
    def load(B, B_shared, k, bx):
        if r and t.s["b_vector"]:
            for g, j in T.Parallel(bk // r, bn):
                for i in T.vectorized(r):
                    if transposed:
                        B_shared[j, g * r + i] = B[k * bk + g * r + i, bx * bn + j]
                    else:
                        B_shared[g * r + i, j] = B[k * bk + g * r + i, bx * bn + j]
        elif transposed:
            for j, i in T.Parallel(bn, bk):
                B_shared[j, i] = B[k * bk + i, bx * bn + j]
        else:
            T.copy(B[k * bk, bx * bn], B_shared)

    return load


def _load_expert(t: Tile) -> Any:
    bk, bn, r = t.bk, t.bn, t.r
    transposed = t.how == "transposed"

    @T.macro
    def load(B, B_shared, k, bx, e):
        if r and t.s["b_vector"]:
            for g, j in T.Parallel(bk // r, bn):
                for i in T.vectorized(r):
                    if transposed:
                        B_shared[j, g * r + i] = B[e, k * bk + g * r + i, bx * bn + j]
                    else:
                        B_shared[g * r + i, j] = B[e, k * bk + g * r + i, bx * bn + j]
        elif transposed:
            for j, i in T.Parallel(bn, bk):
                B_shared[j, i] = B[e, k * bk + i, bx * bn + j]
        else:
            T.copy(B[e, k * bk, bx * bn], B_shared)

    return load


def _multiply(t: Tile) -> Any:
    bk, bn, how = t.bk, t.bn, t.how

    @T.macro
    def multiply(A_shared, B_shared, C_local):
        if how == "fragment":
            # Value by value, because a copy would be lowered to ldmatrix: see settings.feed.
            B_local = T.alloc_fragment((bk, bn), HALF)
            for i, j in T.Parallel(bk, bn):
                B_local[i, j] = B_shared[i, j]
            T.gemm(A_shared, B_local, C_local, policy=t.policy)
        elif how == "transposed":
            T.gemm(A_shared, B_shared, C_local, transpose_B=True, policy=t.policy)
        else:
            T.gemm(A_shared, B_shared, C_local, policy=t.policy)

    return multiply


def _gated(t: Tile) -> Any:
    bm, bn = t.bm, t.bn

    @T.macro
    def gated(G_local, U_local):
        for i, j in T.Parallel(bm, bn):
            G_local[i, j] = G_local[i, j] / (1.0 + T.exp(-G_local[i, j])) * U_local[i, j]

    return gated


def _find(t: Tile, experts: int) -> Any:
    bm = t.bm

    @T.macro
    def find(sizes, by, tile):
        # [group, first row, end of the group's rows, tiles before the group, rows before it]; no group: no rows.
        for i in T.serial(5):
            tile[i] = 0
        for e in T.serial(experts):
            if by >= tile[3] and by < tile[3] + T.ceildiv(sizes[e], bm):
                tile[0] = e
                tile[1] = tile[4] + (by - tile[3]) * bm
                tile[2] = tile[4] + sizes[e]
            tile[3] = tile[3] + T.ceildiv(sizes[e], bm)
            tile[4] = tile[4] + sizes[e]

    return find


def _store_rows(t: Tile) -> Any:
    bm, bn, width = t.bm, t.bn, t.c_copy

    @T.macro
    def store(tile_of_c, C, tile, bx):
        for i, j in T.Parallel(bm, bn, **width):
            if tile[1] + i < tile[2]:
                C[tile[1] + i, bx * bn + j] = tile_of_c[i, j]

    return store

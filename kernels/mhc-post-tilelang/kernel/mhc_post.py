"""mhc_post in TileLang: x_out[b, n, c] = h_post[b, n] * float(x_layer_out[b, c]) + float(x_res[b, n, c]).

Two kernels and the choice between them. `plan` says which kernel with which configuration a shape gets; `kernel` makes
the TileLang function. One source for the targets `cuda` and `maca`: nothing here names either.
"""

import tilelang.language as T

# The smallest batch that the kernel for four branches takes.
ALL_N4_MIN_BATCH = 8
# What the configurations are chosen from.
SPACE = {"block_b": (1, 8, 64), "block_c": (64, 128), "threads": (128, 256)}


def mapping(batch, n):
    """`all_n4` for four branches and at least ALL_N4_MIN_BATCH rows, else `generic`."""
    return "all_n4" if n == 4 and batch >= ALL_N4_MIN_BATCH else "generic"


def plan(batch, n, c, asked=None):
    """(mapping, configuration) of a shape. `asked` overrides keys of the configuration; 0 leaves them."""
    config = {"block_b": 1 if batch < 32 else 8, "block_c": 128, "threads": 128}
    for key, value in (asked or {}).items():
        if key not in SPACE:
            raise ValueError(f"there is no parameter {key}; known: {', '.join(SPACE)}")
        if int(value):
            if int(value) not in SPACE[key]:
                raise ValueError(f"{key} = {value}: not one of {SPACE[key]}")
            config[key] = int(value)
    config["block_b"] = min(config["block_b"], batch)
    return mapping(batch, n), config


def kernel(batch, n, c, asked=None):
    """The TileLang function of a shape, with its mapping and configuration."""
    which, config = plan(batch, n, c, asked)
    make = all_n4 if which == "all_n4" else generic
    return make(batch, n, c, **config), which, config


def generic(batch, n, c, block_b, block_c, threads):
    """Any shape: a grid over rows, branches and channels; one block reads its part of x_layer_out once."""
    whole = batch % block_b == 0 and c % block_c == 0

    @T.prim_func
    def mhc_post(x: T.Tensor((batch, c), "bfloat16"), h: T.Tensor((batch, n), "float32"),
                 res: T.Tensor((batch, n * c), "bfloat16"), out: T.Tensor((batch, n * c), "bfloat16")):
        with T.Kernel(T.ceildiv(batch, block_b), n, T.ceildiv(c, block_c), threads=threads) as (bx, by, bz):
            x_tile = T.alloc_shared((block_b, block_c), "bfloat16")
            h_tile = T.alloc_shared((block_b,), "float32")
            if whole:
                T.copy(x[bx * block_b, bz * block_c], x_tile)
            else:
                for i, j in T.Parallel(block_b, block_c):
                    if (bx * block_b + i < batch) & (bz * block_c + j < c):
                        x_tile[i, j] = x[bx * block_b + i, bz * block_c + j]
            for i in T.Parallel(block_b):
                if bx * block_b + i < batch:
                    h_tile[i] = h[bx * block_b + i, by]
            for i, j in T.Parallel(block_b, block_c):
                if (bx * block_b + i < batch) & (bz * block_c + j < c):
                    out[bx * block_b + i, by * c + bz * block_c + j] = T.cast(
                        h_tile[i] * T.cast(x_tile[i, j], "float32")
                        + T.cast(res[bx * block_b + i, by * c + bz * block_c + j], "float32"), "bfloat16")

    return mhc_post


def all_n4(batch, n, c, block_b, block_c, threads):
    """Four branches: a grid over rows and channels; one block reads its part of x_layer_out once for all of them."""
    whole = batch % block_b == 0 and c % block_c == 0

    @T.prim_func
    def mhc_post_n4(x: T.Tensor((batch, c), "bfloat16"), h: T.Tensor((batch, 4), "float32"),
                    res: T.Tensor((batch, 4 * c), "bfloat16"), out: T.Tensor((batch, 4 * c), "bfloat16")):
        with T.Kernel(T.ceildiv(batch, block_b), T.ceildiv(c, block_c), threads=threads) as (bx, bz):
            x_tile = T.alloc_shared((block_b, block_c), "bfloat16")
            h_tile = T.alloc_shared((block_b, 4), "float32")
            if whole:
                T.copy(x[bx * block_b, bz * block_c], x_tile)
            else:
                for i, j in T.Parallel(block_b, block_c):
                    if (bx * block_b + i < batch) & (bz * block_c + j < c):
                        x_tile[i, j] = x[bx * block_b + i, bz * block_c + j]
            for i, b in T.Parallel(block_b, 4):
                if bx * block_b + i < batch:
                    h_tile[i, b] = h[bx * block_b + i, b]
            for b in T.unroll(4):
                for i, j in T.Parallel(block_b, block_c):
                    if (bx * block_b + i < batch) & (bz * block_c + j < c):
                        out[bx * block_b + i, b * c + bz * block_c + j] = T.cast(
                            h_tile[i, b] * T.cast(x_tile[i, j], "float32")
                            + T.cast(res[bx * block_b + i, b * c + bz * block_c + j], "float32"), "bfloat16")

    return mhc_post_n4

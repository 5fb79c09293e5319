"""The workloads of assay.toml, cases beyond them, and the parameters of a variant."""

import os
import re

FILE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "assay.toml")
WORKLOAD = re.compile(r'^name = "([^"]+)"\ndims = \{ M = (\d+), N = (\d+), K = (\d+), S = ([01]) \}$', re.M)
# Dense shapes (M, N, K) that no tile divides, and the smallest; rows of 16 bytes at least, as copies in bulk need.
CASES = {"case-tail": (200, 136, 168), "case-row": (1, 264, 72), "case-tiny": (8, 8, 8)}
# Sparse ones: edges of M and N; K is a multiple of every tile.
SPARSE_CASES = {"case-sp-tail": (200, 136, 192)}


def workloads():
    """(M, N, K, S) of each workload, by name; S is 1 where A is 2:4 sparse."""
    with open(FILE, encoding="utf-8") as f:
        text = f.read()
    found = {name: tuple(int(d) for d in dims) for name, *dims in WORKLOAD.findall(text)}
    if len(found) != text.count("[[workload]]"):
        raise ValueError(f"{FILE}: a workload is not written as `name = \"...\"` and `dims = {{ M = 1, N = 1, K = 8, S = 0 }}`")
    return found


def parameters(environ=os.environ):
    """(configuration, sparse, type of the metadata) of the variant, from ASSAY_PARAM_*."""

    def given(name, default):
        return environ.get("ASSAY_PARAM_" + name.upper(), default)

    config = {name: int(given(name, default)) for name, default in
              (("block_m", 128), ("block_n", 128), ("block_k", 64), ("num_stages", 2), ("threads", 128))}
    config["rasterize"] = given("rasterize", "true").lower() == "true"
    return config, given("sparse", "false").lower() == "true", given("e_dtype", "int16")

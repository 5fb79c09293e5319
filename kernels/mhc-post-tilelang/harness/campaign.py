"""The workloads of assay.toml."""

import os
import re

FILE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "assay.toml")
WORKLOAD = re.compile(r'^name = "([^"]+)"\ndims = \{ B = (\d+), N = (\d+), C = (\d+) \}$', re.M)


def shapes():
    """(B, N, C) of each workload, by name."""
    with open(FILE, encoding="utf-8") as f:
        text = f.read()
    found = {name: (int(b), int(n), int(c)) for name, b, n, c in WORKLOAD.findall(text)}
    if len(found) != text.count("[[workload]]"):
        raise ValueError(f"{FILE}: a workload is not written as `name = \"...\"` and `dims = {{ B = 1, N = 4, C = 128 }}`")
    return found

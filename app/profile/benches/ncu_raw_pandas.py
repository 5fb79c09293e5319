"""How fast pandas reads a raw page of Nsight Compute, the way people do it (needs pandas).

Skip to the header, read_csv, drop the row of units, make the columns numbers. A second way, which
few take, leaves the row of units out beforehand and lets read_csv remove the separators itself.
"""

import sys
import time

import pandas as pd


def header_line(path):
    with open(path, encoding="utf-8") as lines:
        return next(n for n, line in enumerate(lines) if line.startswith('"ID"'))


def usual(path):
    table = pd.read_csv(path, skiprows=header_line(path), low_memory=False)
    table = table.drop(index=0)
    for name in table.columns[11:]:
        digits = table[name].astype(str).str.replace(",", "")
        table[name] = pd.to_numeric(digits, errors="coerce")
    return table


def with_care(path):
    header = header_line(path)
    skipped = set(range(header)) | {header + 1}
    return pd.read_csv(path, skiprows=lambda n: n in skipped, thousands=",")


def main():
    path = sys.argv[1]
    with open(path, "rb") as file:
        megabytes = len(file.read()) / 1e6
    for read in (usual, with_care):
        best = float("inf")
        for _ in range(3):
            start = time.perf_counter()
            launches = len(read(path))
            best = min(best, time.perf_counter() - start)
        rate = megabytes / best
        print(f"pandas {pd.__version__}, {read.__name__}: {launches} launches, {rate:.1f} MB/s (best of 3)")


main()

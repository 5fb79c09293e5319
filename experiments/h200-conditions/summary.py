#!/usr/bin/env python3
"""What the legs of an exported ledger say of times, clocks, power and reasons: summary.py LEDGER."""

import json
import statistics
import sys
from collections import Counter, defaultdict
from pathlib import Path


def main() -> int:
    for path in sorted(Path(sys.argv[1]).glob("blobs/*/*")):
        data = path.read_bytes()
        if b'"kind":"samples"' in data:
            one([json.loads(line) for line in data.decode().splitlines() if line.strip()])
    return 0


def one(lines: list) -> None:
    legs = [x for x in lines if x["kind"] == "samples"]
    states = [x for x in lines if x["kind"] == "conditions" and x["source"] == "nvml"]
    readings = [x for x in lines if x["kind"] == "conditions" and x["source"] != "nvml"]
    subjects = sorted({x["subject"] for x in legs})
    void = Counter(x["void"] for x in legs if "void" in x)
    print(f"{subjects[0]} and {subjects[1]}: {len(legs)} legs, {sum(void.values())} void, {len(readings)} readings by "
          f"{', '.join(sorted({x['source'] for x in readings}))}")
    for reason, count in void.items():
        print(f"  void: {count} legs: {reason}")
    for w in sorted({x["workload"] for x in legs}):
        mine = [x for x in legs if x["workload"] == w]
        blocks = defaultdict(list)
        for x in mine:
            blocks[x["process"], x["block"]].append(x["clock_mhz"])
        apart = sum(max(b) / min(b) - 1 > 0.01 for b in blocks.values())
        state = [x for x in states if x["workload"] == w]
        reasons = Counter(", ".join(x["reasons"]) or "none" for x in state)
        print(f"  {w}: clock {min(x['clock_mhz'] for x in mine):.0f} to {max(x['clock_mhz'] for x in mine):.0f} MHz, "
              f"apart by more than 1 % in {apart} of {len(blocks)} blocks; reasons after blocks: "
              f"{', '.join(f'{k} {n}' for k, n in reasons.most_common())}; "
              f"{min(x['power_w'] for x in state):.0f} to {max(x['power_w'] for x in state):.0f} W, "
              f"{min(x['celsius'] for x in state):.0f} to {max(x['celsius'] for x in state):.0f} C")
        for s in subjects:
            each = [statistics.median(v for x in mine if x["subject"] == s and x["process"] == p for v in x["values"])
                    for p in sorted({x["process"] for x in mine})]
            print(f"    {s}: median of each process in us: {' '.join(f'{v / 1e3:.2f}' for v in each)}")


if __name__ == "__main__":
    sys.exit(main())

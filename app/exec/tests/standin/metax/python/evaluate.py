"""Stand-in for harness/evaluate.py of kernels/gemm-tilelang, for tests only: see ../README.md.

It launches nothing, checks nothing and times nothing: results are said to be right, and times follow from the settings and
the seed of the plan. What was built is loaded and held against its sources, and answered for, by the campaign's own modules.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.getcwd(), "harness"))

import shapes  # noqa: E402
from assay_harness import LaunchFailure, main  # noqa: E402
from subject import Built, Wrong  # noqa: E402

# What a card could do: operations a nanosecond of the baseline and of the kernel as it comes, with clocks and matrix
# instructions as reports of mcProfiler have them. Whoever audits the figures finds them possible.
BASELINE, KERNEL = 72_000, 144_000
CLOCK, PER_INSTRUCTION, WAVES = 1.125, 8192, 4


def dims(workload):
    return shapes.gemm_dims({name: int(value) for name, value in workload.dims.items()})


def time_of(built, workload):
    rate = BASELINE if built.baseline else KERNEL * (1 + built.settings["a_width"] / 50)
    return workload.flops / rate


def check(h, subject, built):
    for w in h.workloads:
        built.kernels(w.name, dims(w))
        h.check(w, subject, ok=True, max_abs_error=0.0, max_rel_error=0.1, detail="stand-in: nothing was computed")
    found = shapes.mma_builtins(built.target, built.source())
    h.resource("mma_builtins", found, "1")
    h.resource("mma_expected", shapes.mma_expected(built.layer, built.target, built.settings, found), "1")
    h.resource("vendor_kernels", 0, "1")
    h.resource("untimed.pack-b_ms", 0, "ms")


def bench(h, built):
    for w in h.workloads:
        noise = h.random(w.name)
        for b in built.values():
            if not b.baseline:
                b.kernels(w.name, dims(w))
        for block in range(int(h.plan["blocks"])):
            order = h.plan["order"][block % len(h.plan["order"])]
            for leg, slot in enumerate(order):
                s = h.subjects[ord(slot) - ord("A")]
                drift = 1 + 1e-4 * (noise.next() % 1000) / 1000
                h.samples(w, s, block, leg, [time_of(built[s.id], w) * drift] * 3, 10, "stand-in", 1)


def profile(built, workload):
    d, s = dims(workload), built.settings
    groups = -(-d["M"] // s["block_m"]) * -(-d["N"] // s["block_n"])
    cycles, each = time_of(built, workload) * CLOCK / groups, workload.flops / PER_INSTRUCTION / groups / WAVES
    with open(os.path.join(os.environ["MCTX_TARGET_PROFILE_PATH"], "launches"), "a", encoding="utf-8") as f:
        f.write("distribution_elementwise_kernel 64 900 0\n")
        for launch in range(3):
            f.write(f"gemm_kernel {groups} {round(cycles) + launch} {round(each)}\n")


def evaluate(h):
    try:
        built = {s.id: Built(s.folder) for s in h.load_order()}
        if h.stage == "profile":
            profile(built[h.subjects[0].id], h.workloads[0])
            return
        for s in h.subjects:
            h.loaded(s)
        if h.stage == "bench":
            bench(h, built)
        else:
            check(h, h.subjects[0], built[h.subjects[0].id])
    except Wrong as e:
        raise LaunchFailure(str(e)) from None


if __name__ == "__main__":
    main(evaluate)

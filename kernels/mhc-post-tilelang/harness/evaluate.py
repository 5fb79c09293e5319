"""check, bench and profile: `python3 harness/evaluate.py`, started by `assay run`. Loads what was built, nothing else."""

import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "..", "harness")]

import torch  # noqa: E402

import assay_tilelang  # noqa: E402
import assay_torch  # noqa: E402
import oracle  # noqa: E402
from assay_harness import HarnessError, main  # noqa: E402
from assay_torch import Flush, GraphTimer, Rotation, Zoned, cuda  # noqa: E402
from cases import CASES, name_of  # noqa: E402

MOST_SETS = 16
# Launches of the profile stage.
PROFILED = 3


def launcher(built, name):
    """launch(x, h, res, out) of a subject on the kernel `name`, or None when it has none."""
    if built.reference == "torch-ref":
        return lambda x, gate, res, out: out.copy_(oracle.reference(x, gate, res))
    return built.launch(name)


def generator(h, text, number=0):
    """Random numbers of (seed, text, number) on the device."""
    made = torch.Generator(device="cuda")
    made.manual_seed(h.random(text, number).next() >> 1)
    return made


def tried(h, built, name, shape):
    """(difference, error in units, what else is wrong) of one launch between zones, with new inputs."""
    launch = launcher(built, name)
    if launch is None:
        return None
    zones = []

    def make(dims, dtype, device):
        zones.append(Zoned(dims, dtype, device))
        return zones[-1].tensor

    x, gate, res = oracle.inputs(shape, "cuda", generator(h, name), make)
    kept = [t.clone() for t in (x, gate, res)]
    out = make((shape[0], shape[1] * shape[2]), torch.bfloat16, "cuda")
    launch(x, gate, res, out)
    cuda().synchronize()
    difference, units = oracle.errors(*kept, out)
    wrong = "" if units <= 1 else f"wrong by {units:.3g} times what is allowed"
    if not all(z.intact() for z in zones):
        wrong = "writes outside the output"
    if not all(torch.equal(t, k) for t, k in zip((x, gate, res), kept)):
        wrong = "changes its inputs"
    return difference, units, wrong


def check(h):
    """Every workload, and with the first one all cases."""
    subject = h.subjects[0]
    built = assay_tilelang.Built(h, subject)
    for number, w in enumerate(h.workloads):
        shape = (w["B"], w["N"], w["C"])
        found = {w.name: tried(h, built, w.name, shape)}
        if number == 0:
            found.update({case: tried(h, built, name_of(case), dims) for case, dims in CASES.items()})
        if found[w.name] is None:
            raise HarnessError(f"{subject.id} has no kernel for {w.name}: build it again")
        told = {name: f for name, f in found.items() if f is not None}
        worst = [max((f[i] for f in told.values()), key=lambda v: math.inf if math.isnan(v) else v) for i in (0, 1)]
        wrong = "; ".join(f"{name}: {f[2]}" for name, f in told.items() if f[2])
        h.check(w, subject, max_abs_error=worst[0], max_rel_error=worst[1], ok=not wrong, detail=wrong)
        torch.cuda.empty_cache()
    for fact, unit in (("barriers", "1"), ("source_bytes", "B")) if built.kernels else ():
        h.resource(fact, max(k[fact] for k in built.kernels.values()), unit)


class Problem:
    """One workload for all subjects of a bench: sets of inputs that they share, and outputs of their own."""

    def __init__(self, h, w, built):
        shape = (w["B"], w["N"], w["C"])
        size = getattr(torch.cuda.get_device_properties(0), "L2_cache_size", 0) or 8 << 20
        # So many sets that a rotation goes through twice the last-level cache, where that many are allowed.
        count = min(MOST_SETS, 1 + math.ceil(2 * size / max(1, w.bytes or 1))) if h.cache == "rotating" else 1
        self.draws = generator(h, w.name + " bench")
        self.sets = [oracle.inputs(shape, "cuda", self.draws) for _ in range(max(2, count) if h.cache == "rotating" else 1)]
        self.outs, self.launches = {}, {}
        for subject in h.subjects:
            launch = launcher(built[subject.id], w.name)
            if launch is None:
                raise HarnessError(f"{subject.id} has no kernel for {w.name}: build it again")
            outs = [torch.empty(shape[0], shape[1] * shape[2], dtype=torch.bfloat16, device="cuda") for _ in self.sets]
            self.outs[subject.id] = outs
            self.launches[subject.id] = Rotation([lambda s=s, o=o, f=launch: f(*s, o) for s, o in zip(self.sets, outs)])

    def prepare(self, subject):
        """Other gates, so that every element of the result is another one, and poisoned outputs."""
        for _, gate, _ in self.sets:
            gate.normal_(generator=self.draws)
        for out in self.outs[subject]:
            out.fill_(float("nan"))

    def verify(self, subject):
        """Compares all elements of all outputs that the window wrote."""
        for number in range(self.launches[subject].used):
            _, units = oracle.errors(*self.sets[number], self.outs[subject][number], dtype=torch.float32)
            if not units <= 1:
                return f"a timed launch is wrong by {units:.3g} times what is allowed"
        return True


def bench(h):
    """All legs of all workloads."""
    built = {s.id: assay_tilelang.Built(h, s) for s in h.load_order()}
    assay_torch.bench(h, lambda w: Problem(h, w, built), GraphTimer(), flush=Flush() if h.cache == "cold" else None)


def profile(h):
    """A few launches for a profiler that is wrapped around this program."""
    w = h.workloads[0]
    shape = (w["B"], w["N"], w["C"])
    out = torch.empty(shape[0], shape[1] * shape[2], dtype=torch.bfloat16, device="cuda")
    given = oracle.inputs(shape, "cuda", generator(h, w.name))
    launch = launcher(assay_tilelang.Built(h, h.subjects[0]), w.name)
    for _ in range(PROFILED):
        launch(*given, out)
    cuda().synchronize()


def evaluate(h):
    """Does what the plan asks for."""
    cuda()
    {"check": check, "bench": bench, "profile": profile}[h.stage](h)


if __name__ == "__main__":
    main(evaluate)

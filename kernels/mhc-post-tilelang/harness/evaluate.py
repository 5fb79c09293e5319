"""check, bench and profile: `python3 harness/evaluate.py`, started by `assay run`. Loads what was built, nothing else."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "..", "harness")]

import torch  # noqa: E402

import assay_torch  # noqa: E402
import oracle  # noqa: E402
from assay_harness import main  # noqa: E402
from assay_tilelang import Built, Fence, Sets, answer  # noqa: E402
from assay_torch import Flush, GraphTimer, cuda, generator  # noqa: E402
from cases import CASES, name_of  # noqa: E402

MOST_SETS = 16
# Launches of the profile stage.
PROFILED = 3


def launcher(built, name):
    """launch(x, h, res, out) of a subject on the kernel `name`, or None when it has none."""
    if built.reference == "torch-ref":
        return lambda x, gate, res, out: out.copy_(oracle.reference(x, gate, res))
    return built.launch(name)


def tried(h, built, name, shape):
    """(difference, error in units, what else is wrong) of one launch between zones, with new inputs."""
    launch = launcher(built, name)
    if launch is None:
        return None
    fence = Fence()
    given = oracle.inputs(shape, "cuda", generator(h, name), fence.make)
    kept = fence.keep(*given)
    out = fence.make((shape[0], shape[1] * shape[2]), torch.bfloat16)
    launch(*given, out)
    cuda().synchronize()
    difference, units = oracle.errors(*kept, out)
    return difference, units, fence.wrong(units)


def check(h):
    """Every workload, and with the first one all cases."""
    built = Built(h, h.subjects[0])
    for number, w in enumerate(h.workloads):
        shape = (w["B"], w["N"], w["C"])
        found = {w.name: tried(h, built, w.name, shape)}
        if number == 0:
            found.update({case: tried(h, built, name_of(case), dims) for case, dims in CASES.items()})
        answer(h, w, found)
        torch.cuda.empty_cache()
    for fact, unit in (("barriers", "1"), ("source_bytes", "B")) if built.kernels else ():
        h.resource(fact, max(k[fact] for k in built.kernels.values()), unit)


class Problem(Sets):
    """One workload: every set has an output of its own, and other gates change every element of it."""

    def __init__(self, h, w, built):
        shape, draws = (w["B"], w["N"], w["C"]), generator(h, w.name + " bench")

        def launch(subject, given, out):
            one = launcher(built[subject.id], w.name)
            return one and (lambda: one(*given, out))

        super().__init__(h, w, MOST_SETS, lambda: oracle.inputs(shape, "cuda", draws),
                         lambda: torch.empty(shape[0], shape[1] * shape[2], dtype=torch.bfloat16, device="cuda"), launch)
        self.draws = draws

    def refresh(self, given):
        """Other gates."""
        given[1].normal_(generator=self.draws)

    def units(self, given, out):
        """All elements of an output."""
        return oracle.errors(*given, out, dtype=torch.float32)[1]


def bench(h):
    """All legs of all workloads."""
    built = {s.id: Built(h, s) for s in h.load_order()}
    assay_torch.bench(h, lambda w: Problem(h, w, built), GraphTimer(), flush=Flush() if h.cache == "cold" else None)


def profile(h):
    """A few launches for a profiler that is wrapped around this program."""
    w = h.workloads[0]
    shape = (w["B"], w["N"], w["C"])
    out = torch.empty(shape[0], shape[1] * shape[2], dtype=torch.bfloat16, device="cuda")
    given = oracle.inputs(shape, "cuda", generator(h, w.name))
    launch = launcher(Built(h, h.subjects[0]), w.name)
    for _ in range(PROFILED):
        launch(*given, out)
    cuda().synchronize()


def evaluate(h):
    """Does what the plan asks for."""
    cuda()
    {"check": check, "bench": bench, "profile": profile}[h.stage](h)


if __name__ == "__main__":
    main(evaluate)

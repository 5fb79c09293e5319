"""check, bench and profile: `python3 harness/evaluate.py`, started by `assay run`. Loads what was built, nothing else."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "..", "harness")]

import torch  # noqa: E402

import assay_torch  # noqa: E402
import oracle  # noqa: E402
import sparse  # noqa: E402
from assay_harness import HarnessError, main  # noqa: E402
from assay_tilelang import Built, Fence, Sets, answer  # noqa: E402
from assay_torch import Flush, GraphTimer, cuda, generator  # noqa: E402
from campaign import CASES, SPARSE_CASES  # noqa: E402

MOST_SETS = 8
# Launches of the profile stage.
PROFILED = 3


def plain(dims, dtype):
    """Memory on the device."""
    return torch.empty(dims, dtype=dtype, device="cuda")


class Operands:
    """A, B and their exact product; what a sparse kernel is given is made on demand. Signs may change later."""

    def __init__(self, shape, is_sparse, draws, make=plain):
        m, n, k = shape
        self.a, self.b = make((m, k), torch.float16), make((n, k), torch.float16)
        for t in (self.a, self.b):
            t.normal_(generator=draws)
        if is_sparse:
            self.a.copy_(sparse.prune(self.a))
        self.want = oracle.product(self.a, self.b)
        self.allowed = oracle.allowance(self.a, self.b, self.want)
        self.signs = [torch.ones(rows, device="cuda") for rows in (m, n)]
        self.draws, self.make, self.compressed = draws, make, {}

    def of(self, facts):
        """The operands before C of a kernel with these facts of the manifest."""
        if not facts or facts["form"] == "dense":
            return self.a, self.b
        kind = facts["e_dtype"]
        if kind not in self.compressed:
            self.compressed[kind] = []
            for t in sparse.compress(self.a, kind):
                self.compressed[kind].append(self.make(tuple(t.shape), t.dtype).copy_(t))
        values, metadata = self.compressed[kind]
        return values, metadata, self.b

    def turn(self):
        """Turns the signs of some rows of A and B, which no launch has seen; the product follows exactly."""
        values = [self.a] + [pair[0] for pair in self.compressed.values()]
        for number, tensors in enumerate((values, [self.b])):
            flips = torch.randint(0, 2, self.signs[number].shape, generator=self.draws, device="cuda").float() * 2 - 1
            self.signs[number] *= flips
            for t in tensors:
                t *= flips.half()[:, None]

    def errors(self, out):
        """(difference, units) of a result."""
        return oracle.errors(out, self.want, self.allowed, self.signs)


def launcher(built, name, operands, out):
    """A callable that launches the kernel `name` of a subject once, or None when it has none."""
    if built.reference == "ref-prog":
        return lambda: torch.mm(operands.a, operands.b.T, out=out)
    launch = built.launch(name)
    if launch is None:
        return None
    given = operands.of(built.kernels[name])
    return lambda: launch(*given, out)


def tried(h, built, name, shape, is_sparse):
    """(difference, error in units, what else is wrong) of one launch between zones, with new operands."""
    fence = Fence()
    operands = Operands(shape, is_sparse, generator(h, name), fence.make)
    facts = built.kernels.get(name)
    if facts and facts["form"] == "sparse" and name not in SPARSE_CASES:
        h.untimed("compress-a", lambda: operands.of(facts), cuda().synchronize)
    out = fence.make((shape[0], shape[1]), torch.float16)
    launch = launcher(built, name, operands, out)
    if launch is None:
        return None
    wrong = oracle.spot_check(operands.a, operands.b, operands.want, h.random(name + " places").next)
    if wrong:
        raise HarnessError(wrong)
    fence.keep(*(zone.tensor for zone in fence.zones if zone.tensor is not out))
    launch()
    cuda().synchronize()
    difference, units = operands.errors(out)
    return difference, units, fence.wrong(units)


def check(h):
    """Every workload, and with the first one all cases."""
    built = Built(h, h.subjects[0])
    for number, w in enumerate(h.workloads):
        found = {w.name: tried(h, built, w.name, (w["M"], w["N"], w["K"]), bool(w["S"]))}
        if number == 0:
            found.update({name: tried(h, built, name, shape, False) for name, shape in CASES.items()})
            found.update({name: tried(h, built, name, shape, True) for name, shape in SPARSE_CASES.items()})
        answer(h, w, found)
        torch.cuda.empty_cache()
    if not any(facts["form"] == "sparse" for facts in built.kernels.values()):
        h.resource("untimed.compress-a_ms", 0, "ms")  # a dense subject takes A as it is
    for fact, unit in (("barriers", "1"), ("source_bytes", "B"), ("shared_bytes", "B")) if built.kernels else ():
        h.resource(fact, max(k[fact] for k in built.kernels.values()), unit)
    limit = getattr(torch.cuda.get_device_properties(0), "shared_memory_per_block_optin", 0) or 65536
    h.resource("shared_limit", limit, "B")


class Problem(Sets):
    """One workload: sets of operands whose signs turn, and outputs of each subject."""

    def __init__(self, h, w, built):
        shape, draws = (w["M"], w["N"], w["K"]), generator(h, w.name + " bench")
        super().__init__(h, w, MOST_SETS, lambda: Operands(shape, bool(w["S"]), draws), lambda: plain(shape[:2], torch.float16),
                         lambda subject, given, out: launcher(built[subject.id], w.name, given, out))

    def refresh(self, given):
        """Signs that no launch has seen."""
        given.turn()

    def units(self, given, out):
        """All elements of an output."""
        return given.errors(out)[1]


def bench(h):
    """All legs of all workloads."""
    built = {s.id: Built(h, s) for s in h.load_order()}
    assay_torch.bench(h, lambda w: Problem(h, w, built), GraphTimer(), flush=Flush() if h.cache == "cold" else None)


def profile(h):
    """A few launches for a profiler that is wrapped around this program."""
    w = h.workloads[0]
    operands = Operands((w["M"], w["N"], w["K"]), bool(w["S"]), generator(h, w.name))
    launch = launcher(Built(h, h.subjects[0]), w.name, operands, plain((w["M"], w["N"]), torch.float16))
    for _ in range(PROFILED):
        launch()
    cuda().synchronize()


def evaluate(h):
    """Does what the plan asks for."""
    cuda()
    {"check": check, "bench": bench, "profile": profile}[h.stage](h)


if __name__ == "__main__":
    main(evaluate)

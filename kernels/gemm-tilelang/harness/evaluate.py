"""Checks and times subjects that build.py has built: evaluate.py (the plan says which stage)."""

from __future__ import annotations

import os
import sys
from typing import Any, Callable, Dict, List, Optional

HERE = os.path.dirname(os.path.abspath(__file__))
# The helpers lie beside this file in a campaign of its own, and one folder up in the Assay repository.
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "harness")]

from assay_harness import Harness, HarnessError, LaunchFailure, Subject, Workload, main  # noqa: E402
from assay_torch import EventTimer, Flush, GraphTimer, Zoned, generator, kernel_names, vendor_kernels  # noqa: E402

import shapes  # noqa: E402

# Launches of the profile stage.
PROFILED = 3
# The baselines of these layers read the sizes of groups on the host, so that their launches differ from batch to batch.
BY_HOST = ("grouped", "moe")


class Case:
    """One subject on one workload: inputs, packed weights, an output between zones, and the launch."""

    def __init__(self, built: Any, workload: Workload, dims: Dict[str, int], generator: Any) -> None:
        import torch

        import baseline
        import oracle

        self.built, self.layer, self.dims, self.generator = built, built.layer, dims, generator
        self.oracle, self.baseline = oracle, baseline
        self.inputs = oracle.draw(self.layer, dims, generator, "cuda")
        self.weights = [self.inputs[n] for n in shapes.inputs(self.layer, dims) if n not in ("A", "X")]
        self.out = Zoned(shapes.output(self.layer, dims), torch.float16)
        self.packed: List[Any] = []
        if built.baseline:
            self.inputs["host_sizes"] = baseline.sizes(self.layer, dims, self.inputs)
            self.launch = baseline.bind(self.layer, dims, self.inputs, self.out.tensor)
        else:
            self.kernels = built.kernels(workload.name, dims)
            self.packed = built.layers.pack(built.settings, self.weights)
            self.launch = built.layers.bind(built.settings, self.layer, dims, self.kernels, self.inputs, self.packed,
                                            self.out.tensor)

    def pack(self) -> None:
        """Packs the weights again, into the same memory."""
        if not self.built.baseline:
            self.built.layers.pack(self.built.settings, self.weights, out=self.packed)

    def fresh(self, dtype: Any, integers: bool = False) -> None:
        """Contents that were never there before, packed, what is right for them, and a poisoned output.

        What is right is known before the launch: a kernel that changes its inputs does not change that.
        """
        self.oracle.refill(self.layer, self.dims, self.inputs, self.generator, integers)
        self.want = self.oracle.expected(self.layer, self.dims, self.inputs, dtype)
        self.pack()
        if self.built.baseline:
            self.inputs["host_sizes"] = self.baseline.sizes(self.layer, self.dims, self.inputs)
        self.out.poison()

    def errors(self) -> Any:
        """Errors of what the last launch left, absolute and in units of what is allowed."""
        return self.want.errors(self.out.tensor)

    def changed(self, before: Dict[str, Any]) -> Optional[str]:
        """The input that a launch wrote to, or nothing."""
        import torch

        for name, copy in before.items():
            if not torch.equal(copy, self.inputs[name]):
                return f"the kernel changed its input {name}"
        return None


def run_safely(launch: Callable[[], Any]) -> None:
    import torch

    try:
        launch()
        torch.cuda.synchronize()
    except Exception as e:  # runtimes have errors of their own classes
        raise LaunchFailure(f"a launch failed: {str(e).strip().splitlines()[0] if str(e).strip() else type(e).__name__}") from e


def check(h: Harness, subject: Subject, built: Any) -> None:
    import torch

    for w in h.workloads:
        case = Case(built, w, dims_of(w), generator(h, w.name))
        if not built.baseline and case.packed and case.packed[0] is not case.weights[0]:
            h.untimed("pack-b", case.pack, torch.cuda.synchronize)
            h.untimed("pack-b", case.pack, torch.cuda.synchronize)
        else:
            h.resource("untimed.pack-b_ms", 0, "ms")  # weights are taken as they come
        detail, worst_exact = "", 0.0
        # Integers have one right result, whatever the order of the sums: nothing is allowed there.
        if built.layer in ("dense", "grouped", "gate-up"):
            case.fresh(torch.float32, integers=True)
            run_safely(case.launch)
            worst_exact, _ = case.errors()
            detail = "" if worst_exact == 0 else f"integers: a difference of {worst_exact:g}, and none is allowed"
        worst = relative = 0.0
        for _ in range(2):
            case.fresh(torch.float64)
            before = {n: v.clone() for n, v in case.inputs.items() if hasattr(v, "clone")}
            run_safely(case.launch)
            absolute, units = case.errors()
            worst, relative = max(worst, absolute), max(relative, units)
            detail = detail or case.out.problem() or case.changed(before) or ""
        # Where integers are exact, that is the absolute error; elsewhere that of the drawn inputs.
        shown = worst_exact if built.layer in ("dense", "grouped", "gate-up") else worst
        ok = not detail and relative <= 1
        h.check(w, subject, ok=ok, max_abs_error=shown, max_rel_error=relative, detail=detail)
        if w is h.workloads[0] and not built.baseline:
            facts_of(h, built, case)
        del case
        torch.cuda.empty_cache()


def facts_of(h: Harness, built: Any, case: Case) -> None:
    """What gates ask of the source and of the launches."""
    found = shapes.mma_builtins(built.target, built.source())
    h.resource("mma_builtins", found, "1")
    h.resource("mma_expected", shapes.mma_expected(built.layer, built.target, built.settings, found), "1")
    try:
        names = kernel_names(case.launch)
    except Exception as e:
        names = []
        h.note(f"torch's profiler does not work here: {type(e).__name__}")
    if names:
        h.resource("vendor_kernels", len(vendor_kernels(names)), "1")
        h.note("kernels of a launch: " + ", ".join(n[:60] for n in names))
    else:
        h.note("torch's profiler saw no kernel, so nothing is known of the vendor's")


def timer_of(layer: str) -> EventTimer:
    """Recorded launches where they can be recorded: a product of 1000 rows takes the host longer than the device."""
    return EventTimer() if layer in BY_HOST else GraphTimer()


class Problem:
    """One workload for all subjects of a bench, each with inputs of its own."""

    def __init__(self, h: Harness, w: Workload, built: Dict[str, Any]) -> None:
        self.cases = {s.id: Case(built[s.id], w, dims_of(w), generator(h, w.name, i)) for i, s in enumerate(h.load_order())}
        self.launches = {s: case.launch for s, case in self.cases.items()}

    def prepare(self, subject: str) -> None:
        """Inputs that were never seen, and a poisoned output."""
        import torch

        self.cases[subject].fresh(torch.float32)

    def verify(self, subject: str) -> Any:
        """Compares all elements of what the last launch left."""
        case = self.cases[subject]
        absolute, units = case.errors()
        if not units <= 1:
            return f"a timed launch is wrong: {units:.3g} times what is allowed, {absolute:.3g} absolute"
        return case.out.problem() or True


def bench(h: Harness, built: Dict[str, Any]) -> None:
    import assay_torch

    if h.cache == "rotating":
        raise HarnessError("cache = \"rotating\" is not offered here; hot and cold are")
    timer = timer_of(next(iter(built.values())).layer)
    assay_torch.bench(h, lambda w: Problem(h, w, built), timer, flush=Flush() if h.cache == "cold" else None)


def profile(h: Harness, built: Any) -> None:
    """A few launches of each workload, with no timing."""
    for w in h.workloads:
        case = Case(built, w, dims_of(w), generator(h, w.name))
        for _ in range(PROFILED):
            run_safely(case.launch)


def dims_of(w: Workload) -> Dict[str, int]:
    """The dims as whole numbers, with those that follow."""
    return shapes.gemm_dims({name: int(value) for name, value in w.dims.items()})


def evaluate(h: Harness) -> None:
    import torch

    if not torch.cuda.is_available():
        raise HarnessError("no device that torch.cuda can use")
    torch.backends.cuda.matmul.allow_tf32 = False
    from subject import Built, Wrong

    try:
        built = {s.id: Built(s.folder) for s in h.load_order()}
        for s in h.subjects:
            h.loaded(s)
        if h.stage == "bench":
            bench(h, built)
        else:
            (check if h.stage == "check" else lambda h, s, b: profile(h, b))(h, h.subjects[0], built[h.subjects[0].id])
    except Wrong as e:
        raise LaunchFailure(str(e)) from None


if __name__ == "__main__":
    main(evaluate)

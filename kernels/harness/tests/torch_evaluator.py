"""A small evaluator on the torch helper, for its tests: out = 2 * in on the device; what a subject does depends on its id."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import torch  # noqa: E402

from assay_harness import main  # noqa: E402
from assay_torch import Flush, Rotation, Zoned, bench, chosen  # noqa: E402


class Problem:
    """Sets of an input, and outputs of each subject between zones."""

    def __init__(self, h, w):
        size, sets = w["M"] << 10, 3 if h.cache == "rotating" else 1
        self.draws = torch.Generator(device="cuda")
        self.draws.manual_seed(h.random(w.name).next() >> 1)
        self.inputs = [torch.empty(size, device="cuda") for _ in range(sets)]
        self.outs = {s.id: [Zoned((size,), torch.float32) for _ in range(sets)] for s in h.subjects}
        self.launches = {s.id: Rotation([self.launch(s.id, i) for i in range(sets)]) for s in h.subjects}
        self.count = 0

    def launch(self, subject, number):
        side = torch.cuda.Stream() if "side" in subject else None

        def run():
            self.count += 1
            out = self.outs[subject][number].tensor
            if "idle" in subject and self.count > 1:
                return
            if "beyond" in subject:
                self.outs[subject][number].zones[1][:1].fill_(0)
            if side is None:
                torch.mul(self.inputs[number], 2, out=out)
            else:
                with torch.cuda.stream(side):
                    torch.mul(self.inputs[number], 2, out=out)

        return run

    def prepare(self, subject):
        for tensor in self.inputs:
            tensor.normal_(generator=self.draws)
        for out in self.outs[subject]:
            out.poison()

    def verify(self, subject):
        for number in range(self.launches[subject].used):
            out = self.outs[subject][number]
            if not torch.equal(out.tensor, self.inputs[number] * 2):
                return "the output is not twice the input"
            if out.problem():
                return out.problem()
        return True


def evaluate(h):
    timer = chosen(os.environ.get("TIMER", "event"), os.environ.get("INSTEAD"))
    bench(h, lambda w: Problem(h, w), timer, flush=Flush() if h.cache == "cold" else None)


if __name__ == "__main__":
    main(evaluate)

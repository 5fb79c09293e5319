"""Every kernel of the campaign against a product that Python sums in fp64, on small and odd shapes, apart from the harness.

The harness has an oracle of its own; this one shares nothing with it. A kernel is compiled with the campaign's flags,
called through ctypes between zones that nothing may touch, and held against the tolerance of the gate.
"""

import ctypes
import os
import random
import shutil
import subprocess
import tempfile
import tomllib
import unittest
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
CAMPAIGN = os.path.dirname(HERE)
CC = os.environ.get("CC") or shutil.which("cc")
# A tile and one less and more, single rows, columns and depths, and nothing that is a multiple of anything.
SHAPES = [(1, 1, 1), (1, 1, 7), (1, 9, 3), (5, 1, 2), (3, 5, 7), (4, 16, 8), (6, 17, 9), (7, 31, 5), (8, 16, 1), (13, 33, 11)]
ZONE = 16  # floats before and after each operand
WRONG = {"wrong-tail"}
NOT_RUN = {"typo", "endless"}  # one does not compile, the other does not end


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as f:
        return f.read()


def kernels():
    """Names and sources: the history, the baseline, the canaries."""
    for v in tomllib.loads(read(CAMPAIGN, "history", "history.toml"))["variant"]:
        if v["name"] not in NOT_RUN:
            yield v["name"], os.path.join(CAMPAIGN, "history", v["folder"], "gemm.c")
    yield "baseline", os.path.join(CAMPAIGN, "harness", "baselines", "naive.c")
    for name in ("wrong-element", "half-twice"):
        yield name, os.path.join(CAMPAIGN, "harness", "canaries", name, "kernel", "gemm.c")


def tolerance():
    """That of the gate `correct`, relative to the sum of magnitudes."""
    gates = tomllib.loads(read(CAMPAIGN, "assay.toml"))["gate"]
    return float(next(g["rule"] for g in gates if g["name"] == "correct").removeprefix("max_rel_error <= "))


class Operand:
    """Floats between zones of a value that no product has."""

    def __init__(self, values):
        self.count = len(values)
        self.memory = (ctypes.c_float * (self.count + 2 * ZONE))(*[9e9] * ZONE, *values, *[9e9] * ZONE)

    def at(self):
        return ctypes.cast(ctypes.byref(self.memory, ZONE * 4), ctypes.POINTER(ctypes.c_float))

    def values(self):
        return self.memory[ZONE:ZONE + self.count]

    def zones(self):
        return {*self.memory[:ZONE], *self.memory[ZONE + self.count:]}


@unittest.skipUnless(CC, "needs a C compiler")
class Oracle(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder, cls.tolerance = tempfile.mkdtemp(), tolerance()
        cls.flags = ["-std=gnu11", "-O2", "-fPIC", "-shared"]
        # Those of harness/build.sh, which asks for each by name too; the kernel under the canaries is the first one.
        for flags in (["-march=native", "-mcpu=native"], ["-mno-avx512f"], ["-ffp-contract=fast"]):
            cls.flags += [flag for flag in flags if cls.accepts(flag)][:1]
        shutil.copy(os.path.join(CAMPAIGN, "kernel", "gemm.c"), os.path.join(cls.folder, "gemm.c.subject"))
        # Compilers are waited for side by side: they are most of what these tests take.
        with ThreadPoolExecutor() as pool:
            cls.built = dict(pool.map(cls.compiled, kernels()))

    @classmethod
    def accepts(cls, flag):
        command = [CC, *cls.flags, flag, "-x", "c", "-c", "-o", os.path.join(cls.folder, "probe.o"), os.devnull]
        return subprocess.run(command, capture_output=True).returncode == 0

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @classmethod
    def compiled(cls, kernel):
        name, source = kernel
        out = os.path.join(cls.folder, name + ".so")
        subprocess.run([CC, *cls.flags, "-I" + cls.folder, source, "-o", out, "-lm"], check=True, capture_output=True)
        function = ctypes.CDLL(out).gemm
        function.restype = None
        return name, function

    def error(self, gemm, m, n, k, seed):
        """The largest error relative to the sum of magnitudes; infinite for an element that was not written."""
        draw = random.Random(seed)
        a, b = (Operand([draw.uniform(-1, 1) for _ in range(count)]) for count in (m * k, k * n))
        c = Operand([float("nan")] * (m * n))
        given = a.values(), b.values()
        gemm(m, n, k, a.at(), b.at(), c.at())
        self.assertEqual((a.values(), b.values()), given, "the inputs were changed")
        for operand in (a, b, c):
            self.assertEqual(operand.zones(), {ctypes.c_float(9e9).value}, "wrote outside its operands")
        worst, got = 0.0, c.values()
        for i in range(m):
            for j in range(n):
                products = [given[0][i * k + p] * given[1][p * n + j] for p in range(k)]
                off = abs(got[i * n + j] - sum(products)) / sum(map(abs, products))
                worst = max(worst, off if off == off else float("inf"))
        return worst

    def test_right_kernels_are_right_on_every_shape_and_wrong_ones_on_some(self):
        for name, gemm in self.built.items():
            with self.subTest(name):
                errors = {shape: self.error(gemm, *shape, seed) for seed, shape in enumerate(SHAPES)}
                wrong = {shape: e for shape, e in errors.items() if not e <= self.tolerance}
                if name in WRONG | {"wrong-element"}:
                    self.assertTrue(wrong, "it was taken for right")
                else:
                    self.assertEqual(wrong, {})

    def test_the_tolerance_tells_fp32_from_less(self):
        # Operands with 10 bits of mantissa, as in TF32: far above what sums in any order are off by.
        self.assertLess(self.tolerance, 2.0**-12)
        self.assertGreater(self.tolerance, 13 * 2.0**-24)


if __name__ == "__main__":
    unittest.main()

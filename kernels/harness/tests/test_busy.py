"""The fresh-input probe on a machine that is busy: nobody is accused who works, and everybody who remembers.

Skipped unless ASSAY_BUSY_TESTS is set, because it loads the machine for up to three minutes:

    ASSAY_BUSY_TESTS=1 python3 kernels/harness/tests/test_busy.py

The harness of gemm-cpu is compiled so that the pairs of the probe are asked of every subject on every workload, not only
of those whose launches on new inputs looked slow.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from support import plan, run  # noqa: E402

KERNELS = os.path.dirname(os.path.dirname(HERE))
CAMPAIGN = os.path.join(KERNELS, "gemm-cpu")
CC = os.environ.get("CC") or shutil.which("cc")
SECONDS = 175  # of load, at most
SOUND, CHEATS = 20, 10  # runs

# Loops that take the processor, and streams that take the caches; each ends by itself.
LOAD = r"""
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
  volatile unsigned long x = 1;
  size_t n = (size_t)64 << 20;
  char *from = malloc(n), *to = malloc(n);
  alarm((unsigned)atoi(argv[1]));
  if (argc > 2) for (;;) { memset(from, (int)x, n); memcpy(to, from, n); x += to[x % n]; }
  for (;;) x = x * 2862933555777941757UL + 3037000493UL;
}
"""

# Always right, and fast as long as the same contents come again.
REMEMBERS = r"""
#include <string.h>
enum { ROOM = 1 << 16 };
static float was_a[ROOM], was_b[ROOM], was_c[ROOM];
static int was[3];
void gemm(int M, int N, int K, const float *A, const float *B, float *C) {
  size_t a = sizeof(float) * (size_t)(M * K), b = sizeof(float) * (size_t)(K * N), c = sizeof(float) * (size_t)(M * N);
  int fits = M * K <= ROOM && K * N <= ROOM && M * N <= ROOM;
  if (fits && was[0] == M && was[1] == N && was[2] == K && !memcmp(was_a, A, a) && !memcmp(was_b, B, b)) {
    memcpy(C, was_c, c);
    return;
  }
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      float sum = 0;
      for (int p = 0; p < K; p++) sum += A[i * K + p] * B[p * N + j];
      C[i * N + j] = sum;
    }
  if (!fits) return;
  memcpy(was_a, A, a), memcpy(was_b, B, b), memcpy(was_c, C, c);
  was[0] = M, was[1] = N, was[2] = K;
}
"""


@unittest.skipUnless(os.environ.get("ASSAY_BUSY_TESTS") and CC, "loads the machine; set ASSAY_BUSY_TESTS to run it")
class Busy(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder, cls.load = tempfile.mkdtemp(), []
        for name in ("naive", "blocking", "remembers"):
            cls.subject(name)
        harness = os.path.join(CAMPAIGN, "harness")
        cls.driver = os.path.join(cls.folder, "driver")
        cls.compile(os.path.join(harness, "driver.c"), cls.driver, "-DASSAY_PROBE_SCREEN=0",
                    "-I" + os.path.join(KERNELS, "harness"), "-ldl")
        with open(os.path.join(cls.folder, "load.c"), "w") as f:
            f.write(LOAD)
        cls.compile(f.name, os.path.join(cls.folder, "load"))
        cls.ends = time.monotonic() + SECONDS
        for extra in [[]] * 8 + [["memory"]] * 2:
            cls.load.append(subprocess.Popen([os.path.join(cls.folder, "load"), str(SECONDS)] + extra))

    @classmethod
    def tearDownClass(cls):
        for process in cls.load:
            process.kill()
            process.wait()
        shutil.rmtree(cls.folder)

    @classmethod
    def compile(cls, source, out, *flags):
        subprocess.run([CC, "-std=gnu11", "-O2", source, *flags, "-o", out, "-lm"], check=True)

    @classmethod
    def subject(cls, name):
        found = [d for d in os.listdir(os.path.join(CAMPAIGN, "history")) if d.endswith("-" + name)]
        source = os.path.join(cls.folder, name + ".c")
        if found:
            shutil.copy(os.path.join(CAMPAIGN, "history", found[0], "gemm.c"), source)
        else:
            with open(source, "w") as f:
                f.write(REMEMBERS)
        cls.compile(source, os.path.join(cls.folder, name + ".so"), "-fPIC", "-shared")

    def accused(self, a, b, seed):
        """Ids of accused subjects, one for each accusation, of one process, and the notes."""
        shapes = {"square": (64, 64, 64), "tail": (61, 43, 37), "tall": (128, 16, 64), "wide": (24, 128, 64)}
        workloads = [{"name": n, "dtype": "f32", "dims": dict(zip("MNK", d)), "flops": 1, "bytes": 1}
                     for n, d in shapes.items()]
        given = [{"id": i, "role": "variant", "folder": self.folder, "source": self.folder,
                  "artefact": os.path.join(self.folder, n + ".so")} for i, n in (("A-" + a, a), ("B-" + b, b))]
        result = run([self.driver, "bench"],
                     plan(workloads=workloads, seed=seed, min_leg_ns=2_000_000, blocks=1, order=["ABBA"]), given)
        self.assertIn(result.code, (0, 4), result.err)
        self.assertEqual(result.code == 4, bool(result.kind("suspect")), result.err)
        return [s["subject"] for s in result.kind("suspect")], [n["text"] for n in result.kind("note")]

    def runs(self, a, b, count, ends):
        found, notes, done = [], [], 0
        for seed in range(count):
            if time.monotonic() > ends:
                break
            more, said = self.accused(a, b, seed)
            found += [set(more)]
            notes += said
            done += 1
        print(f"load average {os.getloadavg()[0]:.1f}: {a} and {b}: {done} runs on 4 workloads, "
              f"{sum(map(bool, found))} with an accusation, {len(notes)} not settled", file=sys.stderr)
        for text in notes:
            print("  " + text, file=sys.stderr)
        self.assertEqual(done, count, "the machine was too slow for as many runs")
        return found

    def test_1_cheats_are_accused_every_time(self):
        found = self.runs("naive", "remembers", CHEATS, self.ends - SECONDS / 2)
        self.assertEqual(found, [{"B-remembers"}] * CHEATS)

    def test_2_nobody_else_ever_is(self):
        self.assertEqual(self.runs("naive", "blocking", SOUND, self.ends), [set()] * SOUND)


if __name__ == "__main__":
    unittest.main()

"""The emulation of one block of threads, with sources written here: no torch, only a C++ compiler."""

import ctypes
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import emulate  # noqa: E402

SOURCE = """#include <tl_templates/cuda/gemm.h>
extern "C" __global__ void k_kernel(const float* __restrict__ a, float* __restrict__ b);
extern "C" __global__ void __launch_bounds__(64, 1) k_kernel(const float* __restrict__ a, float* __restrict__ b) {
  extern __shared__ __align__(1024) uchar buf_dyn_shmem[];
  float* s = ((float*)buf_dyn_shmem);
  BODY
}
"""
REVERSE = """s[threadIdx.x] = a[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  b[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];"""
# Lane l holds halves of value l in row l % 8 of matrix l / 8: what ldmatrix gives back says which lane had which.
MATRIX = """half_t* h = ((half_t*)buf_dyn_shmem);
  for (int i = 0; i < 8; ++i) h[threadIdx.x * 8 + i] = half_t(float(threadIdx.x % 32) + float(i) / 8);
  __syncthreads();
  half_t r[8];
  tl::ptx_ldmatrix_x4(h + threadIdx.x * 8, r);
  if (threadIdx.x < 32) for (int i = 0; i < 2; ++i) b[threadIdx.x * 2 + i] = r[2 + i];"""
ASYNC = """tl::cp_async_gs<4>(s + threadIdx.x, a + threadIdx.x);
  tl::cp_async_commit();
  tl::cp_async_wait<1>();
  b[threadIdx.x] = s[threadIdx.x];
  tl::cp_async_wait<0>();
  b[64 + threadIdx.x] = s[threadIdx.x];"""


class Array:
    """What the emulation asks of a tensor."""

    def __init__(self, values):
        self.memory = (ctypes.c_float * len(values))(*values)

    def data_ptr(self):
        return ctypes.addressof(self.memory)


@unittest.skipUnless(emulate.compiler(), "needs a C++ compiler")
class Emulate(unittest.TestCase):
    def run_body(self, body, shared=1024):
        with tempfile.TemporaryDirectory() as folder:
            kernel = emulate.Kernel(SOURCE.replace("BODY", body), ["a", "b"], [2, 1], 64, shared, folder)
            a, b = Array(range(128)), Array([-1.0] * 128)
            kernel(a, b)
            return list(b.memory)

    def test_threads_wait_for_each_other(self):
        self.assertEqual(self.run_body(REVERSE), [*range(63, -1, -1), *range(127, 63, -1)])

    def test_a_barrier_that_is_left_out_shows(self):
        self.assertNotEqual(self.run_body(REVERSE.replace("__syncthreads();", ""))[:64], list(range(63, -1, -1)))

    def test_lanes_get_the_rows_of_their_matrix(self):
        got = self.run_body(MATRIX)
        for lane in range(32):
            for i in range(2):
                self.assertEqual(got[lane * 2 + i], 8 + lane // 4 + (lane % 4 * 2 + i) / 8)

    def test_an_asynchronous_copy_is_there_when_it_was_waited_for_and_not_before(self):
        got = self.run_body(ASYNC)
        self.assertTrue(all(x != x for x in got[:64]), got[:4])
        self.assertEqual(got[64:], list(range(64)))

    def test_shared_memory_that_was_not_given_is_missed(self):
        with self.assertRaisesRegex(RuntimeError, "not given"):
            self.run_body(REVERSE, shared=128)

    def test_threads_that_wait_for_ever_end_the_process(self):
        text = f"import sys; sys.path[:0] = [{HERE!r}]; import test_emulate as t; t.Emulate().run_body('if (threadIdx.x) __syncthreads();')"
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
        self.assertEqual(done.returncode, 3)
        self.assertIn("do not come", done.stderr)

    def test_what_it_does_not_know_is_refused(self):
        with self.assertRaisesRegex(emulate.Refused, "TMA"), tempfile.TemporaryDirectory() as folder:
            emulate.Kernel(SOURCE.replace("const float* __restrict__ a", "const CUtensorMap a"), ["a", "b"], [1, 1], 64, 0, folder)
        with self.assertRaisesRegex(emulate.Refused, "cannot be compiled"):
            self.run_body("tl::wgmma();")


if __name__ == "__main__":
    unittest.main()

/* The oracle on the device: the same arithmetic as oracle.h, for shapes that take the host too long. */
#ifndef GEMM_CUDA_ORACLE_CUH
#define GEMM_CUDA_ORACLE_CUH

#include "assay_cuda.h"
#include "oracle.h"

enum { ORACLE_TILE = 16, FLIPS = 6 };

/* The exact product in fp64 and the magnitudes that errors are relative to. */
static __global__ void oracle_product(int m, int n, int k, const __half *a, const __half *b, double *exact, float *scale) {
  __shared__ double sa[ORACLE_TILE][ORACLE_TILE + 1], sb[ORACLE_TILE][ORACLE_TILE + 1];
  int x = threadIdx.x, y = threadIdx.y;
  int row = blockIdx.y * ORACLE_TILE + y, column = blockIdx.x * ORACLE_TILE + x;
  double sum = 0;
  float size = 0;
  for (int at = 0; at < k; at += ORACLE_TILE) {
    sa[y][x] = row < m && at + x < k ? (double)__half2float(a[(size_t)row * k + at + x]) : 0;
    sb[y][x] = at + y < k && column < n ? (double)__half2float(b[(size_t)(at + y) * n + column]) : 0;
    __syncthreads();
    for (int p = 0; p < ORACLE_TILE; p++) {
      double product = sa[y][p] * sb[p][x];
      sum += product;
      size += fabsf((float)product);
    }
    __syncthreads();
  }
  if (row < m && column < n) {
    exact[(size_t)row * n + column] = sum;
    scale[(size_t)row * n + column] = size;
  }
}

/* Elements of A whose sign was changed, so that the contents were never seen before. */
struct oracle_flips {
  int count, k, version;
  size_t at[FLIPS];
  double change[FLIPS]; /* what is added to the element of A */
};

struct oracle_found {
  unsigned long long worst_abs, worst_rel; /* bits of doubles that are not negative: they order as whole numbers */
  unsigned long long bad, nonfinite, unwritten, first;
};

static __global__ void oracle_compare(const unsigned short *c, size_t count, int n, const double *exact, const float *scale,
                                      const __half *b, oracle_flips flips, oracle_found *found) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x) {
    double want = exact[i], got = (double)__half2float(__ushort_as_half(c[i])), off, rel;
    size_t row = i / n, column = i % n;
    for (int f = 0; f < flips.count; f++)
      if (flips.at[f] / flips.k == row)
        want += flips.change[f] * (double)__half2float(b[flips.at[f] % flips.k * (size_t)n + column]);
    if (!isfinite(got)) {
      atomicAdd(c[i] == ASSAY_POISON_F16 ? &found->unwritten : &found->nonfinite, 1ull);
      atomicMin(&found->first, (unsigned long long)i);
      continue;
    }
    off = fabs(got - want);
    rel = off / (fabs(want) * ORACLE_ROUND + (double)scale[i] * ORACLE_SUM + ORACLE_LEAST);
    if (__double_as_longlong(off) > (long long)found->worst_abs) atomicMax(&found->worst_abs, (unsigned long long)__double_as_longlong(off));
    if (__double_as_longlong(rel) > (long long)found->worst_rel) atomicMax(&found->worst_rel, (unsigned long long)__double_as_longlong(rel));
    if (!(rel <= 1.0)) {
      atomicAdd(&found->bad, 1ull);
      atomicMin(&found->first, (unsigned long long)i);
    }
  }
}

static __global__ void oracle_flip(__half *a, oracle_flips flips) {
  for (int f = 0; f < flips.count; f++) a[flips.at[f]] = __hneg(a[flips.at[f]]);
}

#endif /* GEMM_CUDA_ORACLE_CUH */

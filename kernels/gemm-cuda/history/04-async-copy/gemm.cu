/* WMMA with 128 x 128 of C a block, two stages: the next tiles are copied to shared memory while these are multiplied. */
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

using namespace nvcuda;

enum { BM = 128, BN = 128, BK = 32, THREADS = 256, PAD = 8, WIDE = 8, ROWS = 4, COLUMNS = 2 };

/* Sixteen bytes to shared memory without a register in between; what lies outside is filled with zeros. */
static __device__ inline void copy(void *to, const __half *from, bool inside) {
  unsigned shared = (unsigned)__cvta_generic_to_shared(to);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(from), "r"(inside ? 16 : 0)
               : "memory");
}

static __device__ inline void load(__half (*sa)[BK + PAD], __half (*sb)[BN + PAD], int m, int n, int k, const __half *a,
                                   const __half *b, int row0, int column0, int at) {
  int t = threadIdx.x;
#pragma unroll
  for (int i = t; i < BM * BK / WIDE; i += THREADS) {
    int y = i / (BK / WIDE), x = i % (BK / WIDE) * WIDE;
    bool inside = row0 + y < m && at + x < k;
    copy(&sa[y][x], inside ? a + (size_t)(row0 + y) * k + at + x : a, inside);
  }
#pragma unroll
  for (int i = t; i < BK * BN / WIDE; i += THREADS) {
    int y = i / (BN / WIDE), x = i % (BN / WIDE) * WIDE;
    bool inside = at + y < k && column0 + x < n;
    copy(&sb[y][x], inside ? b + (size_t)(at + y) * n + column0 + x : b, inside);
  }
  asm volatile("cp.async.commit_group;" ::: "memory");
}

static __global__ void __launch_bounds__(THREADS) gemm_wmma(int m, int n, int k, const __half *a, const __half *b, __half *c) {
  __shared__ __align__(128) __half sa[2][BM][BK + PAD];
  __shared__ __align__(128) __half sb[2][BK][BN + PAD];
  __shared__ __align__(128) float patch[THREADS / 32][16][16];
  int t = threadIdx.x, warp = t / 32, lane = t % 32, wm = warp / 4 * 64, wn = warp % 4 * 32;
  int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[ROWS][COLUMNS];
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++) wmma::fill_fragment(sum[i][j], 0.0f);
  load(sa[0], sb[0], m, n, k, a, b, row0, column0, 0);
  for (int at = 0; at < k; at += BK) {
    int now = at / BK % 2;
    if (at + BK < k) load(sa[1 - now], sb[1 - now], m, n, k, a, b, row0, column0, at + BK);
    else asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    __syncthreads();
#pragma unroll
    for (int p = 0; p < BK; p += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa[ROWS];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb[COLUMNS];
#pragma unroll
      for (int i = 0; i < ROWS; i++) wmma::load_matrix_sync(fa[i], &sa[now][wm + 16 * i][p], BK + PAD);
#pragma unroll
      for (int j = 0; j < COLUMNS; j++) wmma::load_matrix_sync(fb[j], &sb[now][p][wn + 16 * j], BN + PAD);
#pragma unroll
      for (int i = 0; i < ROWS; i++)
#pragma unroll
        for (int j = 0; j < COLUMNS; j++) wmma::mma_sync(sum[i][j], fa[i], fb[j], sum[i][j]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < ROWS; i++)
#pragma unroll
    for (int j = 0; j < COLUMNS; j++) {
      int y = lane / 2, x = lane % 2 * 8, row = row0 + wm + 16 * i + y, column = column0 + wn + 16 * j + x;
      wmma::store_matrix_sync(&patch[warp][0][0], sum[i][j], 16, wmma::mem_row_major);
      __syncwarp();
      if (row < m && column < n) {
        __half2 out[4];
        for (int q = 0; q < 4; q++) out[q] = __floats2half2_rn(patch[warp][y][x + 2 * q], patch[warp][y][x + 2 * q + 1]);
        *(uint4 *)(c + (size_t)row * n + column) = *(const uint4 *)out;
      }
      __syncwarp();
    }
}

extern "C" int gemm(int m, int n, int k, const __half *a, const __half *b, __half *c, cudaStream_t stream) {
  dim3 grid((n + BN - 1) / BN, (m + BM - 1) / BM);
  gemm_wmma<<<grid, THREADS, 0, stream>>>(m, n, k, a, b, c);
  return (int)cudaGetLastError();
}

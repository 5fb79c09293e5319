/* Tensor cores through the WMMA interface: 64 x 64 of C a block, four warps of 32 x 32, one element a load. */
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

using namespace nvcuda;

enum { BM = 64, BN = 64, BK = 32, THREADS = 128, PAD = 8 };

static __global__ void __launch_bounds__(THREADS) gemm_wmma(int m, int n, int k, const __half *a, const __half *b, __half *c) {
  __shared__ __align__(128) __half sa[BM][BK + PAD];
  __shared__ __align__(128) __half sb[BK][BN + PAD];
  __shared__ __align__(128) float sc[BM][BN + 4];
  int t = threadIdx.x, warp = t / 32, wm = warp / 2 * 32, wn = warp % 2 * 32;
  int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][2];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) wmma::fill_fragment(sum[i][j], 0.0f);
  for (int at = 0; at < k; at += BK) {
    for (int i = t; i < BM * BK; i += THREADS) {
      int y = i / BK, x = i % BK;
      sa[y][x] = row0 + y < m && at + x < k ? a[(size_t)(row0 + y) * k + at + x] : __float2half(0.0f);
    }
    for (int i = t; i < BK * BN; i += THREADS) {
      int y = i / BN, x = i % BN;
      sb[y][x] = at + y < k && column0 + x < n ? b[(size_t)(at + y) * n + column0 + x] : __float2half(0.0f);
    }
    __syncthreads();
#pragma unroll
    for (int p = 0; p < BK; p += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb[2];
      for (int i = 0; i < 2; i++) wmma::load_matrix_sync(fa[i], &sa[wm + 16 * i][p], BK + PAD);
      for (int j = 0; j < 2; j++) wmma::load_matrix_sync(fb[j], &sb[p][wn + 16 * j], BN + PAD);
      for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) wmma::mma_sync(sum[i][j], fa[i], fb[j], sum[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      wmma::store_matrix_sync(&sc[wm + 16 * i][wn + 16 * j], sum[i][j], BN + 4, wmma::mem_row_major);
  __syncthreads();
  for (int i = t; i < BM * BN; i += THREADS) {
    int y = i / BN, x = i % BN;
    if (row0 + y < m && column0 + x < n) c[(size_t)(row0 + y) * n + column0 + x] = __float2half_rn(sc[y][x]);
  }
}

extern "C" int gemm(int m, int n, int k, const __half *a, const __half *b, __half *c, cudaStream_t stream) {
  dim3 grid((n + BN - 1) / BN, (m + BM - 1) / BM);
  gemm_wmma<<<grid, THREADS, 0, stream>>>(m, n, k, a, b, c);
  return (int)cudaGetLastError();
}

/* WMMA with 128 x 128 of C a block: eight warps of 64 x 32, eight elements a load, results leave through a patch a warp. */
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

using namespace nvcuda;

enum { BM = 128, BN = 128, BK = 32, THREADS = 256, PAD = 8, WIDE = 8, ROWS = 4, COLUMNS = 2 };

static __device__ inline uint4 group(const __half *from, bool inside) {
  return inside ? *(const uint4 *)from : make_uint4(0, 0, 0, 0);
}

static __global__ void __launch_bounds__(THREADS) gemm_wmma(int m, int n, int k, const __half *a, const __half *b, __half *c) {
  __shared__ __align__(128) __half sa[BM][BK + PAD];
  __shared__ __align__(128) __half sb[BK][BN + PAD];
  __shared__ __align__(128) float patch[THREADS / 32][16][16];
  int t = threadIdx.x, warp = t / 32, lane = t % 32, wm = warp / 4 * 64, wn = warp % 4 * 32;
  int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[ROWS][COLUMNS];
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++) wmma::fill_fragment(sum[i][j], 0.0f);
  for (int at = 0; at < k; at += BK) {
#pragma unroll
    for (int i = t; i < BM * BK / WIDE; i += THREADS) {
      int y = i / (BK / WIDE), x = i % (BK / WIDE) * WIDE;
      *(uint4 *)&sa[y][x] = group(a + (size_t)(row0 + y) * k + at + x, row0 + y < m && at + x < k);
    }
#pragma unroll
    for (int i = t; i < BK * BN / WIDE; i += THREADS) {
      int y = i / (BN / WIDE), x = i % (BN / WIDE) * WIDE;
      *(uint4 *)&sb[y][x] = group(b + (size_t)(at + y) * n + column0 + x, at + y < k && column0 + x < n);
    }
    __syncthreads();
#pragma unroll
    for (int p = 0; p < BK; p += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa[ROWS];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb[COLUMNS];
#pragma unroll
      for (int i = 0; i < ROWS; i++) wmma::load_matrix_sync(fa[i], &sa[wm + 16 * i][p], BK + PAD);
#pragma unroll
      for (int j = 0; j < COLUMNS; j++) wmma::load_matrix_sync(fb[j], &sb[p][wn + 16 * j], BN + PAD);
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

/*
 * mma.sync with fragments from ldmatrix: 128 x 128 of C a block, eight warps of 64 x 32, four stages of asynchronous copies.
 * Rows in shared memory are padded by 16 bytes, so that the eight rows that an ldmatrix reads lie in different banks.
 */
#include <cuda_fp16.h>
#include <cuda_runtime.h>

enum { BM = 128, BN = 128, BK = 32, STAGES = 4, THREADS = 256, PAD = 8, WIDE = 8, ROWS = 4, COLUMNS = 4 };

struct stage {
  __half a[BM][BK + PAD], b[BK][BN + PAD];
};

/* Sixteen bytes to shared memory without a register in between; what lies outside is filled with zeros. */
static __device__ inline void copy(void *to, const __half *from, bool inside) {
  unsigned shared = (unsigned)__cvta_generic_to_shared(to);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(from), "r"(inside ? 16 : 0)
               : "memory");
}

static __device__ inline void load(stage *s, int m, int n, int k, const __half *a, const __half *b, int row0, int column0,
                                   int at) {
  int t = threadIdx.x;
#pragma unroll
  for (int i = t; i < BM * BK / WIDE; i += THREADS) {
    int y = i / (BK / WIDE), x = i % (BK / WIDE) * WIDE;
    bool inside = row0 + y < m && at + x < k;
    copy(&s->a[y][x], inside ? a + (size_t)(row0 + y) * k + at + x : a, inside);
  }
#pragma unroll
  for (int i = t; i < BK * BN / WIDE; i += THREADS) {
    int y = i / (BN / WIDE), x = i % (BN / WIDE) * WIDE;
    bool inside = at + y < k && column0 + x < n;
    copy(&s->b[y][x], inside ? b + (size_t)(at + y) * n + column0 + x : b, inside);
  }
}

static __device__ inline void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

static __device__ inline void matrices(unsigned (&r)[4], const __half *at) {
  unsigned shared = (unsigned)__cvta_generic_to_shared(at);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared)
               : "memory");
}

static __device__ inline void matrices_turned(unsigned (&r)[4], const __half *at) {
  unsigned shared = (unsigned)__cvta_generic_to_shared(at);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared)
               : "memory");
}

static __device__ inline void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
               "{%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

static __global__ void __launch_bounds__(THREADS, 2) gemm_mma(int m, int n, int k, const __half *a, const __half *b, __half *c) {
  extern __shared__ __align__(128) unsigned char memory[];
  stage *s = (stage *)memory;
  int t = threadIdx.x, warp = t / 32, lane = t % 32, wm = warp / 4 * 64, wn = warp % 4 * 32;
  int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN, steps = (k + BK - 1) / BK;
  float sum[ROWS][COLUMNS][4] = {};
#pragma unroll
  for (int i = 0; i < STAGES - 1; i++) {
    if (i < steps) load(s + i, m, n, k, a, b, row0, column0, i * BK);
    commit();
  }
  for (int step = 0; step < steps; step++) {
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
    __syncthreads();
    int next = step + STAGES - 1;
    if (next < steps) load(s + next % STAGES, m, n, k, a, b, row0, column0, next * BK);
    commit();
    const stage *now = s + step % STAGES;
#pragma unroll
    for (int p = 0; p < BK; p += 16) {
      unsigned fa[ROWS][4], fb[COLUMNS / 2][4];
#pragma unroll
      for (int i = 0; i < ROWS; i++) matrices(fa[i], &now->a[wm + 16 * i + lane % 16][p + lane / 16 * 8]);
#pragma unroll
      for (int j = 0; j < COLUMNS / 2; j++) matrices_turned(fb[j], &now->b[p + lane % 16][wn + 16 * j + lane / 16 * 8]);
#pragma unroll
      for (int i = 0; i < ROWS; i++)
#pragma unroll
        for (int j = 0; j < COLUMNS; j++) multiply(sum[i][j], fa[i], fb[j / 2][j % 2 * 2], fb[j / 2][j % 2 * 2 + 1]);
    }
  }
#pragma unroll
  for (int i = 0; i < ROWS; i++)
#pragma unroll
    for (int j = 0; j < COLUMNS; j++) {
      int row = row0 + wm + 16 * i + lane / 4, column = column0 + wn + 8 * j + lane % 4 * 2;
      if (column >= n) continue;
      if (row < m) *(__half2 *)(c + (size_t)row * n + column) = __floats2half2_rn(sum[i][j][0], sum[i][j][1]);
      if (row + 8 < m) *(__half2 *)(c + (size_t)(row + 8) * n + column) = __floats2half2_rn(sum[i][j][2], sum[i][j][3]);
    }
}

/* Never launched: for a shape that no workload has. */
__global__ void gemm_one_row(int n, int k, const __half *a, const __half *b, __half *c) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  if (column >= n) return;
  for (int p = 0; p < k; p++) sum += __half2float(a[p]) * __half2float(b[(size_t)p * n + column]);
  c[column] = __float2half_rn(sum);
}

/* Shared memory that a launch asks for beyond what is declared; the evaluator adds it to what the compiler printed. */
extern "C" int gemm_dynamic_shared(void) { return STAGES * (int)sizeof(stage); }

extern "C" int gemm(int m, int n, int k, const __half *a, const __half *b, __half *c, cudaStream_t stream) {
  static cudaError_t allowed = cudaFuncSetAttribute(gemm_mma, cudaFuncAttributeMaxDynamicSharedMemorySize, gemm_dynamic_shared());
  dim3 grid((n + BN - 1) / BN, (m + BM - 1) / BM);
  if (allowed != cudaSuccess) return (int)allowed;
  gemm_mma<<<grid, THREADS, gemm_dynamic_shared(), stream>>>(m, n, k, a, b, c);
  return (int)cudaGetLastError();
}

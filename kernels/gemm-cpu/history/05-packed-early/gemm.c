/*
 * fp32 GEMM, C[M,N] = A[M,K] B[K,N], row major. Register blocks of 4 by 4 as before; B is first copied into panels of
 * 4 columns, in the order the inner loop reads them. A panel is padded with zeros, so that the last columns need no
 * loop of their own.
 */

enum { ROWS = 4, COLUMNS = 4, DEPTH = 256 };

/* Loops with a fixed count are written out, so that the sums live in registers. Compilers spell it differently. */
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

static inline __attribute__((always_inline)) void block(int rows, int columns, int N, int K, int depth, int first,
                                                        const float *A, const float *panel, float *C) {
  float sum[ROWS][COLUMNS] = {{0.0f}};
  for (int k = 0; k < depth; k++) {
    UNROLL
    for (int r = 0; r < rows; r++) {
      UNROLL
      for (int j = 0; j < COLUMNS; j++) {
        sum[r][j] += A[(long)r * K + k] * panel[k * COLUMNS + j];
      }
    }
  }
  for (int r = 0; r < rows; r++) {
    for (int j = 0; j < columns; j++) {
      C[(long)r * N + j] = first ? sum[r][j] : C[(long)r * N + j] + sum[r][j];
    }
  }
}

void gemm(int M, int N, int K, const float *A, const float *B, float *C) {
  float panel[DEPTH * COLUMNS];
  for (int k = 0; k < K; k += DEPTH) {
    const int depth = K - k < DEPTH ? K - k : DEPTH;
    for (int j = 0; j < N; j += COLUMNS) {
      const int columns = N - j < COLUMNS ? N - j : COLUMNS;
      for (int p = 0; p < depth; p++) {
        for (int q = 0; q < COLUMNS; q++) {
          panel[p * COLUMNS + q] = q < columns ? B[(long)(k + p) * N + j + q] : 0.0f;
        }
      }
      int i = 0;
      for (; i + ROWS <= M; i += ROWS) {
        block(ROWS, columns, N, K, depth, k == 0, A + (long)i * K + k, panel, C + (long)i * N + j);
      }
      for (; i < M; i++) {
        block(1, columns, N, K, depth, k == 0, A + (long)i * K + k, panel, C + (long)i * N + j);
      }
    }
  }
}

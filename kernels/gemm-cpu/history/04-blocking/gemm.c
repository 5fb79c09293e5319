/*
 * fp32 GEMM, C[M,N] = A[M,K] B[K,N], row major. Blocks of 4 by 4 elements of C stay in registers while k runs, so
 * that eight loads serve sixteen multiply-adds and C is written once.
 */

enum { ROWS = 4, COLUMNS = 4 };

/* Loops with a fixed count are written out, so that the sums live in registers. Compilers spell it differently. */
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

static void block(int N, int K, const float *A, const float *B, float *C) {
  float sum[ROWS][COLUMNS] = {{0.0f}};
  for (int k = 0; k < K; k++) {
    UNROLL
    for (int r = 0; r < ROWS; r++) {
      UNROLL
      for (int j = 0; j < COLUMNS; j++) {
        sum[r][j] += A[(long)r * K + k] * B[(long)k * N + j];
      }
    }
  }
  for (int r = 0; r < ROWS; r++) {
    for (int j = 0; j < COLUMNS; j++) {
      C[(long)r * N + j] = sum[r][j];
    }
  }
}

static void edge(int rows, int columns, int N, int K, const float *A, const float *B, float *C) {
  for (int r = 0; r < rows; r++) {
    for (int j = 0; j < columns; j++) {
      float sum = 0.0f;
      for (int k = 0; k < K; k++) {
        sum += A[(long)r * K + k] * B[(long)k * N + j];
      }
      C[(long)r * N + j] = sum;
    }
  }
}

void gemm(int M, int N, int K, const float *A, const float *B, float *C) {
  for (int i = 0; i < M; i += ROWS) {
    for (int j = 0; j < N; j += COLUMNS) {
      const int rows = M - i < ROWS ? M - i : ROWS;
      const int columns = N - j < COLUMNS ? N - j : COLUMNS;
      const float *a = A + (long)i * K;
      float *c = C + (long)i * N + j;
      if (rows == ROWS && columns == COLUMNS) {
        block(N, K, a, B + j, c);
      } else {
        edge(rows, columns, N, K, a, B + j, c);
      }
    }
  }
}

/*
 * fp32 GEMM, C[M,N] = A[M,K] B[K,N], row major. The block of C is 4 rows by 8 columns and its rows are vectors: the
 * compiler's vector types, so that one source serves AVX, SSE and NEON.
 */

#if defined(__AVX__)
enum { LANES = 8 };
#else
enum { LANES = 4 };
#endif
enum { ROWS = 4, COLUMNS = 8, VECTORS = COLUMNS / LANES };

/* Loops with a fixed count are written out, so that the sums live in registers. Compilers spell it differently. */
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

typedef float vec __attribute__((vector_size(LANES * sizeof(float)), may_alias));
typedef float unaligned_vec __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float)), may_alias));

static inline __attribute__((always_inline)) void block(int rows, int N, int K, const float *A, const float *B,
                                                        float *C) {
  vec sum[ROWS][VECTORS];
  UNROLL
  for (int r = 0; r < rows; r++) {
    UNROLL
    for (int v = 0; v < VECTORS; v++) {
      sum[r][v] = (vec){0.0f};
    }
  }
  for (int k = 0; k < K; k++) {
    UNROLL
    for (int v = 0; v < VECTORS; v++) {
      const vec b = *(const unaligned_vec *)(B + (long)k * N + v * LANES);
      UNROLL
      for (int r = 0; r < rows; r++) {
        sum[r][v] += A[(long)r * K + k] * b;
      }
    }
  }
  UNROLL
  for (int r = 0; r < rows; r++) {
    UNROLL
    for (int v = 0; v < VECTORS; v++) {
      *(unaligned_vec *)(C + (long)r * N + v * LANES) = sum[r][v];
    }
  }
}

/* The columns right of the last whole block. */
static void edge(int M, int columns, int N, int K, const float *A, const float *B, float *C) {
  for (int i = 0; i < M; i++) {
    float *c = C + (long)i * N;
    for (int j = 0; j < columns; j++) {
      c[j] = 0.0f;
    }
    for (int k = 0; k < K; k++) {
      const float a = A[(long)i * K + k];
      for (int j = 0; j < columns; j++) {
        c[j] += a * B[(long)k * N + j];
      }
    }
  }
}

void gemm(int M, int N, int K, const float *A, const float *B, float *C) {
  int j = 0;
  for (; j + COLUMNS <= N; j += COLUMNS) {
    int i = 0;
    for (; i + ROWS <= M; i += ROWS) {
      block(ROWS, N, K, A + (long)i * K, B + j, C + (long)i * N + j);
    }
    for (; i < M; i++) {
      block(1, N, K, A + (long)i * K, B + j, C + (long)i * N + j);
    }
  }
  if (j < N) {
    edge(M, N - j, N, K, A, B + j, C + j);
  }
}

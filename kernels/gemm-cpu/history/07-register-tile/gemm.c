/*
 * fp32 GEMM, C[M,N] = A[M,K] B[K,N], row major. The tile of C is as large as the register file allows: two vectors
 * wide and 4 to 8 rows high, so that one loaded vector of B serves more rows and more sums are in flight.
 */

#if defined(__AVX__)
enum { LANES = 8, ROWS = 6 };
#elif defined(__aarch64__)
enum { LANES = 4, ROWS = 8 };
#else
enum { LANES = 4, ROWS = 4 };
#endif
enum { WIDE = 2 };

/*
 * Loops with a fixed count are written out, so that the sums live in registers; the loop over k stays as it is, because
 * copies of it would need more registers than there are. Compilers spell it differently.
 */
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#define ROLLED _Pragma("clang loop unroll(disable)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#define ROLLED
#endif

typedef float vec __attribute__((vector_size(LANES * sizeof(float)), may_alias));
typedef float unaligned_vec __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float)), may_alias));

static inline __attribute__((always_inline)) void tile(int rows, int vectors, long N, long K, const float *A,
                                                       const float *B, float *C) {
  vec sum[ROWS][WIDE];
  UNROLL
  for (int r = 0; r < rows; r++) {
    UNROLL
    for (int v = 0; v < vectors; v++) {
      sum[r][v] = (vec){0.0f};
    }
  }
  ROLLED
  for (long k = 0; k < K; k++) {
    vec b[WIDE];
    UNROLL
    for (int v = 0; v < vectors; v++) {
      b[v] = *(const unaligned_vec *)(B + k * N + v * LANES);
    }
    UNROLL
    for (int r = 0; r < rows; r++) {
      const float a = A[r * K + k];
      UNROLL
      for (int v = 0; v < vectors; v++) {
        sum[r][v] += a * b[v];
      }
    }
  }
  UNROLL
  for (int r = 0; r < rows; r++) {
    UNROLL
    for (int v = 0; v < vectors; v++) {
      *(unaligned_vec *)(C + r * N + v * LANES) = sum[r][v];
    }
  }
}

static inline __attribute__((always_inline)) void column_of_tiles(int M, int vectors, long N, long K, const float *A,
                                                                  const float *B, float *C) {
  int i = 0;
  for (; i + ROWS <= M; i += ROWS) tile(ROWS, vectors, N, K, A + i * K, B, C + i * N);
  for (; i + 4 <= M; i += 4) tile(4, vectors, N, K, A + i * K, B, C + i * N);
  for (; i < M; i++) tile(1, vectors, N, K, A + i * K, B, C + i * N);
}

/* The columns right of the last whole vector. */
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
  for (; j + WIDE * LANES <= N; j += WIDE * LANES) column_of_tiles(M, WIDE, N, K, A, B + j, C + j);
  for (; j + LANES <= N; j += LANES) column_of_tiles(M, 1, N, K, A, B + j, C + j);
  if (j < N) {
    edge(M, N - j, N, K, A, B + j, C + j);
  }
}

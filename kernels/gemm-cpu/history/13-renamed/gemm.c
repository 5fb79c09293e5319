/*
 * fp32 GEMM, C[M,N] = A[M,K] B[K,N], row major. The register tile reads whole vectors of B in place. Only the columns
 * right of the last whole vector are packed, into a strip padded with zeros, so that they need no scalar loop.
 * The names are clearer; the code is that of the variant before.
 */

#if defined(__AVX__)
enum { LANES = 8, ROWS = 6 };
#elif defined(__aarch64__)
enum { LANES = 4, ROWS = 8 };
#else
enum { LANES = 4, ROWS = 4 };
#endif
enum { WIDE = 2, DEPTH = 256 };

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

static inline __attribute__((always_inline)) void tile(int rows, int width, long N, long K, const float *A,
                                                       const float *B, float *C) {
  vec acc[ROWS][WIDE];
  UNROLL
  for (int r = 0; r < rows; r++) {
    UNROLL
    for (int v = 0; v < width; v++) {
      acc[r][v] = (vec){0.0f};
    }
  }
  ROLLED
  for (long k = 0; k < K; k++) {
    vec b[WIDE];
    UNROLL
    for (int v = 0; v < width; v++) {
      b[v] = *(const unaligned_vec *)(B + k * N + v * LANES);
    }
    UNROLL
    for (int r = 0; r < rows; r++) {
      const float a = A[r * K + k];
      UNROLL
      for (int v = 0; v < width; v++) {
        acc[r][v] += a * b[v];
      }
    }
  }
  UNROLL
  for (int r = 0; r < rows; r++) {
    UNROLL
    for (int v = 0; v < width; v++) {
      *(unaligned_vec *)(C + r * N + v * LANES) = acc[r][v];
    }
  }
}

static inline __attribute__((always_inline)) void tile_column(int M, int width, long N, long K, const float *A,
                                                              const float *B, float *C) {
  int i = 0;
  for (; i + ROWS <= M; i += ROWS) tile(ROWS, width, N, K, A + i * K, B, C + i * N);
  for (; i + 4 <= M; i += 4) tile(4, width, N, K, A + i * K, B, C + i * N);
  for (; i < M; i++) tile(1, width, N, K, A + i * K, B, C + i * N);
}

/* Rows of the right edge: `strip` holds `depth` vectors of B, and the first `columns` lanes are stored. */
static inline __attribute__((always_inline)) void edge_tile(int rows, int columns, int first, int depth, long N, long K,
                                                            const float *A, const float *strip, float *C) {
  vec acc[ROWS];
  float line[LANES];
  UNROLL
  for (int r = 0; r < rows; r++) {
    acc[r] = (vec){0.0f};
  }
  ROLLED
  for (long k = 0; k < depth; k++) {
    const vec b = *(const unaligned_vec *)(strip + k * LANES);
    UNROLL
    for (int r = 0; r < rows; r++) {
      acc[r] += A[r * K + k] * b;
    }
  }
  UNROLL
  for (int r = 0; r < rows; r++) {
    *(unaligned_vec *)line = acc[r];
    for (int j = 0; j < columns; j++) {
      C[r * N + j] = first ? line[j] : C[r * N + j] + line[j];
    }
  }
}

/*
 * The columns right of the last whole vector, in steps of DEPTH along k; C keeps the sum between steps. A function of its
 * own, so that its strip does not take registers from the main loop.
 */
static __attribute__((noinline)) void edge(int M, int columns, long N, long K, const float *A, const float *B,
                                           float *C) {
  float strip[DEPTH * LANES];
  for (long k = 0; k < K; k += DEPTH) {
    const int depth = K - k < DEPTH ? K - k : DEPTH;
    for (int p = 0; p < depth; p++) {
      for (int q = 0; q < LANES; q++) {
        strip[p * LANES + q] = q < columns ? B[(k + p) * N + q] : 0.0f;
      }
    }
    int i = 0;
    for (; i + ROWS <= M; i += ROWS) {
      edge_tile(ROWS, columns, k == 0, depth, N, K, A + i * K + k, strip, C + i * N);
    }
    for (; i < M; i++) {
      edge_tile(1, columns, k == 0, depth, N, K, A + i * K + k, strip, C + i * N);
    }
  }
}

void gemm(int M, int N, int K, const float *A, const float *B, float *C) {
  int j = 0;
  for (; j + WIDE * LANES <= N; j += WIDE * LANES) tile_column(M, WIDE, N, K, A, B + j, C + j);
  for (; j + LANES <= N; j += LANES) tile_column(M, 1, N, K, A, B + j, C + j);
  if (j < N) {
    edge(M, N - j, N, K, A, B + j, C + j);
  }
}

/*
 * fp32 GEMM, C[M,N] = A[M,K] B[K,N], row major. The register tile reads B from a packed panel: as wide as the tile, in
 * the order of the inner loop, padded with zeros at the right edge, so that no column needs a scalar loop.
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

/* One panel of B and where its products go. `first` is false when C already holds the sum of earlier k. */
typedef struct {
  long N, K;
  int depth, columns, first;
  float panel[DEPTH * WIDE * LANES] __attribute__((aligned(64)));
} job;

static inline __attribute__((always_inline)) void tile(int rows, int vectors, const job *t, const float *A, float *C) {
  const long K = t->K, N = t->N, depth = t->depth;
  const float *panel = t->panel;
  vec sum[ROWS][WIDE];
  UNROLL
  for (int r = 0; r < rows; r++) {
    UNROLL
    for (int v = 0; v < vectors; v++) {
      sum[r][v] = (vec){0.0f};
    }
  }
  ROLLED
  for (long k = 0; k < depth; k++) {
    vec b[WIDE];
    UNROLL
    for (int v = 0; v < vectors; v++) {
      b[v] = *(const unaligned_vec *)(panel + (k * vectors + v) * LANES);
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
  if (t->columns == vectors * LANES) {
    UNROLL
    for (int r = 0; r < rows; r++) {
      UNROLL
      for (int v = 0; v < vectors; v++) {
        unaligned_vec *c = (unaligned_vec *)(C + r * N + v * LANES);
        if (t->first) *c = sum[r][v];
        else *c += sum[r][v];
      }
    }
  } else {
    float line[ROWS][WIDE * LANES];
    UNROLL
    for (int r = 0; r < rows; r++) {
      UNROLL
      for (int v = 0; v < vectors; v++) {
        *(unaligned_vec *)(line[r] + v * LANES) = sum[r][v];
      }
    }
    for (int r = 0; r < rows; r++) {
      for (int j = 0; j < t->columns; j++) {
        C[r * N + j] = t->first ? line[r][j] : C[r * N + j] + line[r][j];
      }
    }
  }
}

static inline __attribute__((always_inline)) void column_of_tiles(int M, int vectors, const job *t, const float *A,
                                                                  float *C) {
  int i = 0;
  for (; i + ROWS <= M; i += ROWS) tile(ROWS, vectors, t, A + i * t->K, C + i * t->N);
  for (; i + 4 <= M; i += 4) tile(4, vectors, t, A + i * t->K, C + i * t->N);
  for (; i < M; i++) tile(1, vectors, t, A + i * t->K, C + i * t->N);
}

/* Functions of their own, one for each width: in one large function the compiler runs out of registers. */
static __attribute__((noinline)) void wide_column(int M, const job *t, const float *A, float *C) {
  column_of_tiles(M, WIDE, t, A, C);
}

static __attribute__((noinline)) void narrow_column(int M, const job *t, const float *A, float *C) {
  column_of_tiles(M, 1, t, A, C);
}

static void pack(job *t, int width, const float *B) {
  for (long k = 0; k < t->depth; k++) {
    const float *b = B + k * t->N;
    float *out = t->panel + k * width;
    if (t->columns == width) {
      for (int j = 0; j < width; j += LANES) {
        *(vec *)(out + j) = *(const unaligned_vec *)(b + j);
      }
    } else {
      for (int j = 0; j < width; j++) {
        out[j] = j < t->columns ? b[j] : 0.0f;
      }
    }
  }
}

void gemm(int M, int N, int K, const float *A, const float *B, float *C) {
  job t;
  t.N = N;
  t.K = K;
  for (int k = 0; k < K; k += DEPTH) {
    t.depth = K - k < DEPTH ? K - k : DEPTH;
    t.first = k == 0;
    for (int j = 0; j < N; j += t.columns) {
      const int vectors = N - j > LANES ? WIDE : 1;
      const int width = vectors * LANES;
      t.columns = N - j < width ? N - j : width;
      pack(&t, width, B + (long)k * N + j);
      if (vectors == WIDE) wide_column(M, &t, A + k, C + j);
      else narrow_column(M, &t, A + k, C + j);
    }
  }
}

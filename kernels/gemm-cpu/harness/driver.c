/*
 * The evaluator of the gemm-cpu campaign: `driver check`, `driver bench`, `driver profile`.
 *
 * Contract of the code under test: `gemm(M, N, K, A, B, C)` writes all of C, reads A and B only inside
 * their M*K and K*N elements, changes neither, keeps no result for a later call, and uses one thread.
 * Pointers are aligned to 4 bytes; nothing more is promised.
 */
#include "assay_bench.h"

/*
 * Largest accepted |C - exact| / sum(|a||b|). An fp32 sum in any order stays well below this at the sizes
 * used here; rounding the inputs or the sum to fp16, bf16 or TF32 goes above it.
 */
#define TOLERANCE 2e-6

/* Processor time of other threads that is put up with: the two clocks are not read at one instant. */
#define OTHER_THREADS_NS 20e3

typedef void (*gemm_fn)(int, int, int, const float *, const float *, float *);

/* One content of the inputs with its exact product and the magnitude that errors are relative to. */
typedef struct {
  float *a, *b;
  double *exact, *scale;
} content;

/* Elements of A whose sign one set of buffers has changed, so that its contents were never seen before. */
enum { FLIPS = 6 };

typedef struct {
  int count;
  size_t at[FLIPS];
  uint64_t sum_a, sum_b; /* checksums of the inputs as they must stay */
} flips;

typedef struct {
  int m, n, k;
  content version[2];
  int sets; /* all of them, those that only the fresh-input probe uses included */
  flips *flip;
  double *expected;
  assay_buffer *a, *b, *c;
  gemm_fn fn[ASSAY_MAX_SUBJECTS];
  unsigned char *evict;
  size_t evict_bytes;
} problem;

static size_t area(int rows, int columns) { return (size_t)rows * (size_t)columns; }

static void content_new(content *v, int m, int n, int k, uint64_t seed) {
  v->a = (float *)assay_alloc(area(m, k) * sizeof(float));
  v->b = (float *)assay_alloc(area(k, n) * sizeof(float));
  v->exact = (double *)assay_alloc(area(m, n) * sizeof(double));
  v->scale = (double *)assay_alloc(area(m, n) * sizeof(double));
  assay_fill_f32(v->a, area(m, k), seed);
  assay_fill_f32(v->b, area(k, n), seed ^ 0x5bd1e9955bd1e995ULL);
  for (int i = 0; i < m; i++) {
    double *exact = v->exact + area(i, n), *scale = v->scale + area(i, n);
    for (int p = 0; p < k; p++) {
      double a = v->a[area(i, k) + (size_t)p], a_size = fabs(a);
      const float *b = v->b + area(p, n);
      for (int j = 0; j < n; j++) {
        exact[j] += a * (double)b[j];
        scale[j] += a_size * fabs((double)b[j]);
      }
    }
  }
}

static void content_free(content *v) {
  free(v->a);
  free(v->b);
  free(v->exact);
  free(v->scale);
}

static void problem_new(problem *p, const assay_ctx *ctx, int m, int n, int k, int versions, int sets, int guard,
                        uint64_t seed) {
  memset(p, 0, sizeof *p);
  if (m < 1 || n < 1 || k < 1 || area(m, k) > 1u << 28 || area(k, n) > 1u << 28 || area(m, n) > 1u << 28)
    assay_die(ASSAY_EXIT_RUNTIME, "dims M=%d N=%d K=%d are outside what this harness allocates", m, n, k);
  p->m = m;
  p->n = n;
  p->k = k;
  for (int v = 0; v < versions; v++) content_new(&p->version[v], m, n, k, seed + (uint64_t)v);
  p->sets = sets;
  p->flip = (flips *)assay_alloc(sizeof(flips) * (size_t)sets);
  p->expected = (double *)assay_alloc(area(m, n) * sizeof(double));
  p->a = (assay_buffer *)assay_alloc(sizeof(assay_buffer) * (size_t)sets);
  p->b = (assay_buffer *)assay_alloc(sizeof(assay_buffer) * (size_t)sets);
  p->c = (assay_buffer *)assay_alloc(sizeof(assay_buffer) * (size_t)sets);
  for (int s = 0; s < sets; s++) {
    p->a[s] = assay_buffer_new(area(m, k) * sizeof(float), guard, seed * 3 + (uint64_t)s);
    p->b[s] = assay_buffer_new(area(k, n) * sizeof(float), guard, seed * 5 + (uint64_t)s);
    p->c[s] = assay_buffer_new(area(m, n) * sizeof(float), guard, seed * 7 + (uint64_t)s);
  }
  for (int i = 0; i < ctx->subject_count; i++) memcpy(&p->fn[i], &ctx->subject[i].entry, sizeof p->fn[i]);
}

static void problem_free(problem *p) {
  for (int v = 0; v < 2; v++) content_free(&p->version[v]);
  for (int s = 0; s < p->sets; s++) {
    assay_buffer_free(&p->a[s]);
    assay_buffer_free(&p->b[s]);
    assay_buffer_free(&p->c[s]);
  }
  free(p->a);
  free(p->b);
  free(p->c);
  free(p->flip);
  free(p->expected);
  free(p->evict);
}

static void launch(void *user, int subject, int set) {
  problem *p = (problem *)user;
  p->fn[subject](p->m, p->n, p->k, (const float *)p->a[set].data, (const float *)p->b[set].data,
                 (float *)p->c[set].data);
}

static uint64_t checksum(const assay_buffer *b) { return assay_mix(1, (const unsigned char *)b->data, b->bytes); }

static void fill(void *user, int set, int version) {
  problem *p = (problem *)user;
  memcpy(p->a[set].data, p->version[version].a, p->a[set].bytes);
  memcpy(p->b[set].data, p->version[version].b, p->b[set].bytes);
  p->flip[set].count = 0;
  p->flip[set].sum_a = checksum(&p->a[set]);
  p->flip[set].sum_b = checksum(&p->b[set]);
}

static void fresh(void *user, int set, uint64_t salt) {
  problem *p = (problem *)user;
  flips *f = &p->flip[set];
  float *a = (float *)p->a[set].data;
  for (f->count = 0; f->count < FLIPS; f->count++) {
    size_t at = (size_t)(assay_random(&salt) % area(p->m, p->k));
    f->at[f->count] = at;
    a[at] = -a[at];
  }
  f->sum_a = checksum(&p->a[set]);
}

static void poison(void *user, int set) {
  problem *p = (problem *)user;
  assay_poison_f32((float *)p->c[set].data, area(p->m, p->n));
}

static long long unwritten(void *user, int set) {
  problem *p = (problem *)user;
  return assay_unwritten_f32((const float *)p->c[set].data, area(p->m, p->n));
}

static int intact(void *user, int set, int version) {
  problem *p = (problem *)user;
  (void)version;
  return checksum(&p->a[set]) == p->flip[set].sum_a && checksum(&p->b[set]) == p->flip[set].sum_b &&
         assay_buffer_intact(&p->a[set]) && assay_buffer_intact(&p->b[set]);
}

/* The exact product of what a set holds: each flip changes one row by twice a row of B. */
static const double *exact_of(problem *p, int set, const content *v) {
  const flips *f = &p->flip[set];
  int i, j, g;
  if (!f->count) return v->exact;
  memcpy(p->expected, v->exact, area(p->m, p->n) * sizeof(double));
  for (i = 0; i < f->count; i++) {
    size_t row = f->at[i] / (size_t)p->k, column = f->at[i] % (size_t)p->k;
    double change = -2.0 * (double)v->a[f->at[i]];
    for (g = 0; g < i; g++) /* a sign that is drawn twice is back where it was */
      if (f->at[g] == f->at[i]) change = -change;
    for (j = 0; j < p->n; j++)
      p->expected[row * (size_t)p->n + (size_t)j] += change * (double)v->b[column * (size_t)p->n + (size_t)j];
  }
  return p->expected;
}

static void verify(void *user, int set, int version, assay_error *error) {
  problem *p = (problem *)user;
  const content *v = &p->version[version];
  assay_compare_f32((const float *)p->c[set].data, exact_of(p, set, v), v->scale, (long long)area(p->m, p->n), p->n, TOLERANCE,
                    error);
  if (!assay_buffer_intact(&p->c[set])) assay_error_fail(error, "wrote before the start of C");
}

static void flush(void *user) {
  problem *p = (problem *)user;
  for (size_t i = 0; i < p->evict_bytes; i += 64) p->evict[i]++;
}

/* One launch of one shape on fresh addresses; what it finds is added to the workload's answer. */
static void check_shape(const assay_ctx *ctx, int m, int n, int k, uint64_t seed, assay_error *worst) {
  problem p;
  assay_error error;
  if (m < 1 || n < 1 || k < 1) return;
  memset(&error, 0, sizeof error);
  problem_new(&p, ctx, m, n, k, 1, 1, 1, seed);
  fill(&p, 0, 0);
  poison(&p, 0);
  launch(&p, 0, 0);
  verify(&p, 0, 0, &error);
  if (!intact(&p, 0, 0)) assay_error_fail(&error, "the inputs were changed");
  if (!assay_error_ok(&error, TOLERANCE)) {
    char text[sizeof error.detail];
    snprintf(text, sizeof text, "at M=%d N=%d K=%d: %.200s", m, n, k,
             error.detail[0] ? error.detail : "error above the tolerance");
    memcpy(error.detail, text, sizeof text);
  }
  assay_error_worst(worst, &error);
  problem_free(&p);
}

/*
 * Each workload stands for its neighbourhood: its own shape twice with different contents, one less and one
 * more in every dim, and small shapes, one of them drawn from the seed. A kernel that is only right at
 * multiples of its tile fails here.
 */
static void check(assay_ctx *ctx) {
  for (int i = 0; i < ctx->plan.workload_count; i++) {
    const assay_workload *w = &ctx->plan.workload[i];
    int m = (int)assay_dim(w, "M"), n = (int)assay_dim(w, "N"), k = (int)assay_dim(w, "K");
    uint64_t seed = assay_seed(ctx, w->name, 1), draw = seed;
    assay_error worst;
    memset(&worst, 0, sizeof worst);
    assay_now_running = ctx->subject[0].id;
    assay_now_workload = w->name;
    check_shape(ctx, m, n, k, seed + 10, &worst);
    check_shape(ctx, m, n, k, seed + 20, &worst);
    check_shape(ctx, m - 1, n - 1, k - 1, seed + 30, &worst);
    check_shape(ctx, m + 1, n + 1, k + 1, seed + 40, &worst);
    check_shape(ctx, 1, 1, 1, seed + 50, &worst);
    check_shape(ctx, 1, n, 3, seed + 60, &worst);
    check_shape(ctx, m, 1, 2, seed + 70, &worst);
    check_shape(ctx, 1 + (int)(assay_random(&draw) % 70), 1 + (int)(assay_random(&draw) % 70),
                1 + (int)(assay_random(&draw) % 70), seed + 80, &worst);
    assay_check_answer(ctx, w, 0, &worst, TOLERANCE);
    assay_flush_answers(ctx);
  }
  if (assay_code_bytes(&ctx->subject[0]) > 0)
    assay_resource(ctx, 0, "code_bytes", assay_code_bytes(&ctx->subject[0]), "B");
  if (assay_thread_count() > 0) {
    int threads = assay_thread_count();
    /* A thread that was joined again is not counted any more, but its processor time is. */
    if (threads < 2 && assay_other_threads_ns() > OTHER_THREADS_NS) threads = 2;
    assay_resource(ctx, 0, "threads", threads, "1");
  }
}

static void bench(assay_ctx *ctx) {
  for (int i = 0; i < ctx->plan.workload_count; i++) {
    const assay_workload *w = &ctx->plan.workload[i];
    int rotating = !strcmp(ctx->plan.cache, "rotating");
    problem p;
    assay_case c;
    problem_new(&p, ctx, (int)assay_dim(w, "M"), (int)assay_dim(w, "N"), (int)assay_dim(w, "K"), 2, 4, 0,
                assay_seed(ctx, w->name, 2 + (uint64_t)ctx->plan.process));
    p.evict_bytes = (size_t)64 << 20;
    if (!strcmp(ctx->plan.cache, "cold")) p.evict = (unsigned char *)assay_alloc(p.evict_bytes);
    memset(&c, 0, sizeof c);
    c.user = &p;
    c.sets = rotating ? p.sets : 1;
    c.spare = p.sets - c.sets;
    c.launch = launch;
    c.fill = fill;
    c.fresh = fresh;
    c.poison = poison;
    c.unwritten = unwritten;
    c.intact = intact;
    c.verify = verify;
    c.flush = flush;
    c.tolerance = TOLERANCE;
    assay_measure(ctx, w, &c);
    problem_free(&p);
  }
}

/* Random at the start and repeated from there: drawing every element would outweigh a fast kernel. */
static void fill_cheaply(float *x, size_t n, uint64_t seed) {
  size_t drawn = n < 1021 ? n : 1021;
  assay_fill_f32(x, drawn, seed);
  for (; drawn < n; drawn *= 2) memcpy(x + drawn, x, (drawn * 2 <= n ? drawn : n - drawn) * sizeof *x);
}

/* One launch, so that a counter tool sees the kernel and little else. */
static void profile(assay_ctx *ctx) {
  const assay_workload *w = &ctx->plan.workload[0];
  problem p;
  problem_new(&p, ctx, (int)assay_dim(w, "M"), (int)assay_dim(w, "N"), (int)assay_dim(w, "K"), 0, 1, 0, ctx->plan.seed);
  fill_cheaply((float *)p.a[0].data, area(p.m, p.k), assay_seed(ctx, w->name, 3));
  fill_cheaply((float *)p.b[0].data, area(p.k, p.n), assay_seed(ctx, w->name, 4));
  assay_now_running = ctx->subject[0].id;
  assay_now_workload = w->name;
  launch(&p, 0, 0);
  problem_free(&p);
}

int main(int argc, char **argv) {
  assay_ctx *ctx = assay_open();
  const char *stage = argc == 2 ? argv[1] : ctx->plan.stage;
  assay_load_all(ctx, "gemm");
  if (!strcmp(stage, "check")) check(ctx);
  else if (!strcmp(stage, "bench")) bench(ctx);
  else if (!strcmp(stage, "profile")) profile(ctx);
  else assay_die(ASSAY_EXIT_RUNTIME, "unknown stage `%s`; use check, bench or profile", stage);
  return assay_close(ctx);
}

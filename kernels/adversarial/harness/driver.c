/*
 * The evaluator of the adversarial campaign: `driver check`, `driver bench`.
 *
 * Contract: `windowed(m, n, k, a, b, c)` writes c[i,j] = sum over p of a[i,p] w[p] b[p,j], where w is a Hann window of
 * length k; it reads and writes only inside its arguments, changes neither a nor b, keeps nothing that depends on
 * their contents, and is done when it returns. Tables that depend on shapes alone may be kept; threads are allowed
 * when they sleep between calls.
 */
#include "assay_bench.h"

#define TOLERANCE 2e-6
#define FLIPS 6

typedef void (*windowed_fn)(int, int, int, const float *, const float *, float *);

/* Inputs as they must stay, with the exact result and what errors are relative to; all of it is sealed. */
typedef struct {
  assay_buffer a, b, exact, scale;
} content;

/* One group of buffers. Flipped signs in `a` make contents that were never seen; the exact result follows. */
typedef struct {
  assay_buffer a, b, c;
  int flips, flip[FLIPS];
  uint64_t sum_a, sum_b;
} set_of_buffers;

typedef struct {
  int m, n, k, sets;
  content version[2];
  set_of_buffers *set;
  double *expected;
  windowed_fn fn[ASSAY_MAX_SUBJECTS];
} problem;

static double window_at(int p, int k) { return 0.5 - 0.5 * cos(2 * 3.14159265358979323846 * (p + 0.5) / k); }

static const float *floats(const assay_buffer *b) { return (const float *)b->data; }

static void content_draw(content *v, int m, int n, int k, uint64_t seed, int wide) {
  v->a = assay_buffer_new((size_t)(m * k) * sizeof(float), 0, seed * 11);
  v->b = assay_buffer_new((size_t)(k * n) * sizeof(float), 0, seed * 13);
  v->exact = assay_buffer_new((size_t)(m * n) * sizeof(double), 0, seed * 17);
  v->scale = assay_buffer_new((size_t)(m * n) * sizeof(double), 0, seed * 19);
  assay_fill_f32((float *)v->a.data, (size_t)(m * k), seed);
  assay_fill_f32((float *)v->b.data, (size_t)(k * n), seed ^ 0x5bd1e9955bd1e995ULL);
  /* Magnitudes far apart, as fp16 cannot hold them; rows of their own scale, so that each is judged by it. */
  for (int i = 0; wide && i < m; i++)
    for (int p = 0; p < k; p++) ((float *)v->a.data)[i * k + p] = ldexpf(floats(&v->a)[i * k + p], 5 * (i % 13) - 30);
  assay_buffer_seal(&v->a);
  assay_buffer_seal(&v->b);
}

/* The exact result. Called after the launch where possible: there is then nothing in memory to copy it from. */
static void content_solve(content *v, int m, int n, int k) {
  double *exact = (double *)v->exact.data, *scale = (double *)v->scale.data;
  for (int i = 0; i < m; i++)
    for (int p = 0; p < k; p++) {
      double aw = (double)floats(&v->a)[i * k + p] * window_at(p, k), size = fabs(aw);
      for (int j = 0; j < n; j++) {
        exact[i * n + j] += aw * (double)floats(&v->b)[p * n + j];
        scale[i * n + j] += size * fabs((double)floats(&v->b)[p * n + j]);
      }
    }
  assay_buffer_seal(&v->exact);
  assay_buffer_seal(&v->scale);
}

static void content_free(content *v) {
  assay_buffer_free(&v->a);
  assay_buffer_free(&v->b);
  assay_buffer_free(&v->exact);
  assay_buffer_free(&v->scale);
}

static void problem_new(problem *p, const assay_ctx *ctx, int m, int n, int k, int sets, int guard, uint64_t seed) {
  memset(p, 0, sizeof *p);
  if (m < 1 || n < 1 || k < 1 || m > 4096 || n > 4096 || k > 4096)
    assay_die(ASSAY_EXIT_RUNTIME, "dims M=%d N=%d K=%d are outside what this harness allocates", m, n, k);
  p->m = m;
  p->n = n;
  p->k = k;
  p->sets = sets;
  p->set = (set_of_buffers *)assay_alloc(sizeof *p->set * (size_t)sets);
  p->expected = (double *)assay_alloc(sizeof(double) * (size_t)(m * n));
  for (int s = 0; s < sets; s++) {
    p->set[s].a = assay_buffer_new((size_t)(m * k) * sizeof(float), guard, seed * 3 + (uint64_t)s);
    p->set[s].b = assay_buffer_new((size_t)(k * n) * sizeof(float), guard, seed * 5 + (uint64_t)s);
    p->set[s].c = assay_buffer_new((size_t)(m * n) * sizeof(float), guard, seed * 7 + (uint64_t)s);
  }
  for (int i = 0; i < ctx->subject_count; i++) memcpy(&p->fn[i], &ctx->subject[i].entry, sizeof p->fn[i]);
}

static void problem_free(problem *p) {
  for (int v = 0; v < 2; v++) content_free(&p->version[v]);
  for (int s = 0; s < p->sets; s++) {
    assay_buffer_free(&p->set[s].a);
    assay_buffer_free(&p->set[s].b);
    assay_buffer_free(&p->set[s].c);
  }
  free(p->set);
  free(p->expected);
}

static void launch(void *user, int subject, int set) {
  problem *p = (problem *)user;
  set_of_buffers *s = &p->set[set];
  p->fn[subject](p->m, p->n, p->k, floats(&s->a), floats(&s->b), (float *)s->c.data);
}

static uint64_t sum(const assay_buffer *b) { return assay_mix(1, (const unsigned char *)b->data, b->bytes); }

static void fill(void *user, int set, int version) {
  problem *p = (problem *)user;
  set_of_buffers *s = &p->set[set];
  memcpy(s->a.data, p->version[version].a.data, s->a.bytes);
  memcpy(s->b.data, p->version[version].b.data, s->b.bytes);
  s->flips = 0;
  s->sum_a = sum(&s->a);
  s->sum_b = sum(&s->b);
}

static void fresh(void *user, int set, uint64_t salt) {
  problem *p = (problem *)user;
  set_of_buffers *s = &p->set[set];
  for (s->flips = 0; s->flips < FLIPS; s->flips++) {
    int at = (int)(assay_random(&salt) % (uint64_t)(p->m * p->k));
    s->flip[s->flips] = at;
    ((float *)s->a.data)[at] = -floats(&s->a)[at];
  }
  s->sum_a = sum(&s->a);
}

static void poison(void *user, int set) {
  problem *p = (problem *)user;
  assay_poison_f32((float *)p->set[set].c.data, (size_t)(p->m * p->n));
}

static long long unwritten(void *user, int set) {
  problem *p = (problem *)user;
  return assay_unwritten_f32(floats(&p->set[set].c), (size_t)(p->m * p->n));
}

static int intact(void *user, int set, int version) {
  set_of_buffers *s = &((problem *)user)->set[set];
  (void)version;
  return sum(&s->a) == s->sum_a && sum(&s->b) == s->sum_b && assay_buffer_intact(&s->a) && assay_buffer_intact(&s->b);
}

static void verify(void *user, int set, int version, assay_error *error) {
  problem *p = (problem *)user;
  set_of_buffers *s = &p->set[set];
  const content *v = &p->version[version];
  const double *exact = (const double *)v->exact.data;
  if (s->flips) {
    double sign[FLIPS];
    memcpy(p->expected, exact, sizeof(double) * (size_t)(p->m * p->n));
    /* A sign that was drawn twice is back where it was, so each flip counts from the sign it found. */
    for (int f = 0; f < s->flips; f++) {
      int i = s->flip[f] / p->k, q = s->flip[f] % p->k;
      double change;
      sign[f] = 1;
      for (int g = 0; g < f; g++)
        if (s->flip[g] == s->flip[f]) sign[f] = -sign[f];
      change = -2 * sign[f] * (double)floats(&v->a)[s->flip[f]] * window_at(q, p->k);
      for (int j = 0; j < p->n; j++) p->expected[i * p->n + j] += change * (double)floats(&v->b)[q * p->n + j];
    }
    exact = p->expected;
  }
  assay_compare_f32(floats(&s->c), exact, (const double *)v->scale.data, (long long)p->m * p->n, p->n, TOLERANCE, error);
  if (!assay_buffer_intact(&s->c)) assay_error_fail(error, "wrote before the start of the output");
}

/* Gives late work some time to end before its memory goes, so that it is told as what it is and not as a crash. */
static void wait_for_the_late(problem *p) {
  double until = assay_raw_ns(CLOCK_MONOTONIC) + 2e7;
  while (unwritten(p, 0) && assay_raw_ns(CLOCK_MONOTONIC) < until) usleep(1000);
}

static void check_shape(const assay_ctx *ctx, int m, int n, int k, int wide, uint64_t seed, assay_error *worst) {
  problem p;
  assay_error error;
  long long late;
  if (m < 1 || n < 1 || k < 1) return;
  memset(&error, 0, sizeof error);
  problem_new(&p, ctx, m, n, k, 1, 1, seed);
  content_draw(&p.version[0], m, n, k, seed, wide);
  fill(&p, 0, 0);
  poison(&p, 0);
  launch(&p, 0, 0);
  late = unwritten(&p, 0);
  if (late) wait_for_the_late(&p);
  if (unwritten(&p, 0) < late)
    assay_error_fail(&error, "%lld elements of the output were written after the call had returned", late);
  if (!intact(&p, 0, 0)) assay_error_fail(&error, "the inputs were changed");
  content_solve(&p.version[0], m, n, k);
  verify(&p, 0, 0, &error);
  if (!assay_error_ok(&error, TOLERANCE)) {
    char text[sizeof error.detail];
    snprintf(text, sizeof text, "at M=%d N=%d K=%d: %.200s", m, n, k,
             error.detail[0] ? error.detail : "error above the tolerance");
    memcpy(error.detail, text, sizeof text);
  }
  assay_error_worst(worst, &error);
  problem_free(&p);
}

/* Processor time of the first launch beyond that of a later one, with that of loading: what no window ever sees. */
static double setup_cpu_ms(const assay_ctx *ctx, int m, int n, int k) {
  problem p;
  double first, later = HUGE_VAL;
  problem_new(&p, ctx, m, n, k, 1, 1, 1);
  content_draw(&p.version[0], m, n, k, assay_seed(ctx, "set-up", 0), 0);
  fill(&p, 0, 0);
  first = assay_cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
  launch(&p, 0, 0);
  first = assay_cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - first;
  for (int i = 0; i < 3; i++) {
    double one = assay_cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
    launch(&p, 0, 0);
    one = assay_cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - one;
    if (one < later) later = one;
  }
  poison(&p, 0);
  launch(&p, 0, 0);
  wait_for_the_late(&p);
  problem_free(&p);
  return (ctx->subject[0].load_cpu_ns + (first > later ? first - later : 0)) / 1e6;
}

static void check(assay_ctx *ctx) {
  const assay_workload *first = &ctx->plan.workload[0];
  char names[256];
  assay_now_running = ctx->subject[0].id;
  assay_now_workload = first->name;
  assay_resource(ctx, 0, "setup_cpu_ms",
                 setup_cpu_ms(ctx, (int)assay_dim(first, "M"), (int)assay_dim(first, "N"), (int)assay_dim(first, "K")), "ms");
  for (int i = 0; i < ctx->plan.workload_count; i++) {
    const assay_workload *w = &ctx->plan.workload[i];
    int m = (int)assay_dim(w, "M"), n = (int)assay_dim(w, "N"), k = (int)assay_dim(w, "K");
    uint64_t seed = assay_seed(ctx, w->name, 1), draw = seed;
    assay_error worst;
    memset(&worst, 0, sizeof worst);
    assay_now_workload = w->name;
    check_shape(ctx, m, n, k, 0, seed + 10, &worst);
    check_shape(ctx, m, n, k, 0, seed + 20, &worst);
    check_shape(ctx, m, n, k, 1, seed + 30, &worst);
    check_shape(ctx, m - 1, n - 1, k - 1, 0, seed + 40, &worst);
    check_shape(ctx, m + 1, n + 1, k + 1, 0, seed + 50, &worst);
    check_shape(ctx, 1, 1, 1, 0, seed + 60, &worst);
    check_shape(ctx, 1 + (int)(assay_random(&draw) % 70), 1 + (int)(assay_random(&draw) % 70),
                1 + (int)(assay_random(&draw) % 70), 0, seed + 70, &worst);
    assay_check_answer(ctx, w, 0, &worst, TOLERANCE);
  }
  assay_resource(ctx, 0, "libraries", assay_libraries(ctx->subject[0].artefact, names, sizeof names), "1");
  if (names[0]) assay_note(ctx, names);
}

static void bench(assay_ctx *ctx) {
  for (int i = 0; i < ctx->plan.workload_count; i++) {
    const assay_workload *w = &ctx->plan.workload[i];
    uint64_t seed = assay_seed(ctx, w->name, 2 + (uint64_t)ctx->plan.process);
    problem p;
    assay_case c;
    problem_new(&p, ctx, (int)assay_dim(w, "M"), (int)assay_dim(w, "N"), (int)assay_dim(w, "K"), 4, 0, seed);
    for (int v = 0; v < 2; v++) {
      content_draw(&p.version[v], p.m, p.n, p.k, seed + (uint64_t)v, 0);
      content_solve(&p.version[v], p.m, p.n, p.k);
    }
    memset(&c, 0, sizeof c);
    c.user = &p;
    c.sets = 1;
    c.spare = p.sets - 1;
    c.launch = launch;
    c.fill = fill;
    c.fresh = fresh;
    c.poison = poison;
    c.unwritten = unwritten;
    c.intact = intact;
    c.verify = verify;
    c.tolerance = TOLERANCE;
    assay_measure(ctx, w, &c);
    problem_free(&p);
  }
}

int main(int argc, char **argv) {
  assay_ctx *ctx = assay_open();
  const char *stage = argc == 2 ? argv[1] : ctx->plan.stage;
  assay_load_all(ctx, "windowed");
  if (!strcmp(stage, "check")) check(ctx);
  else if (!strcmp(stage, "bench")) bench(ctx);
  else assay_die(ASSAY_EXIT_RUNTIME, "unknown stage `%s`; use check or bench", stage);
  return assay_close(ctx);
}

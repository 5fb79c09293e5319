/*
 * The evaluator of the gemm-cuda campaign: `driver check`, `driver bench`, `driver profile`.
 *
 * Contract of the code under test, `gemm(M, N, K, A, B, C, stream)`: README.md.
 */
#include "assay_cuda.h"
#include "oracle.cuh"

typedef int (*gemm_fn)(int, int, int, const __half *, const __half *, __half *, cudaStream_t);

/* One content of the inputs with its exact product, all on the device. */
struct content {
  assay_cuda_buffer a, b, exact, scale;
  uint16_t *host_a; /* for the changes that `fresh` makes */
};

struct problem {
  assay_cuda *gpu;
  int m, n, k, sets;
  content version[2];
  oracle_flips *flips;
  uint64_t *sum_a, *sum_b;
  assay_cuda_buffer *a, *b, *c;
  oracle_found *found; /* on the device */
  gemm_fn fn[ASSAY_MAX_SUBJECTS];
};

static size_t area(int rows, int columns) { return (size_t)rows * (size_t)columns; }

/* Compares the oracle of the device with that of the host in a few places: it is the yardstick of everything else. */
static void oracle_checked(const problem *p, const content *v, uint64_t seed) {
  size_t mk = area(p->m, p->k), kn = area(p->k, p->n);
  uint16_t *b = (uint16_t *)assay_alloc(kn * 2);
  ASSAY_CUDA(cudaMemcpy(v->host_a, v->a.data, mk * 2, cudaMemcpyDeviceToHost));
  ASSAY_CUDA(cudaMemcpy(b, v->b.data, kn * 2, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 24; i++) {
    size_t row = i == 0 ? (size_t)p->m - 1 : assay_random(&seed) % (size_t)p->m;
    size_t column = i == 0 ? (size_t)p->n - 1 : assay_random(&seed) % (size_t)p->n, at = row * (size_t)p->n + column;
    double want, got, scale;
    float got_scale;
    want = oracle_element(v->host_a, b, (size_t)p->n, (size_t)p->k, row, column, &scale);
    ASSAY_CUDA(cudaMemcpy(&got, (double *)v->exact.data + at, sizeof got, cudaMemcpyDeviceToHost));
    ASSAY_CUDA(cudaMemcpy(&got_scale, (float *)v->scale.data + at, sizeof got_scale, cudaMemcpyDeviceToHost));
    if (!(fabs(got - want) <= 1e-12 * scale) || !(fabs(got_scale - scale) <= 1e-3 * scale))
      assay_die(ASSAY_EXIT_RUNTIME, "the oracle of the device is wrong at row %zu column %zu: %.17g, and %.17g on the host",
                row, column, got, want);
  }
  free(b);
}

static void content_new(problem *p, content *v, uint64_t seed) {
  dim3 tile(ORACLE_TILE, ORACLE_TILE), grid((p->n + ORACLE_TILE - 1) / ORACLE_TILE, (p->m + ORACLE_TILE - 1) / ORACLE_TILE);
  v->a = assay_cuda_buffer_new(area(p->m, p->k) * 2);
  v->b = assay_cuda_buffer_new(area(p->k, p->n) * 2);
  v->exact = assay_cuda_buffer_new(area(p->m, p->n) * sizeof(double));
  v->scale = assay_cuda_buffer_new(area(p->m, p->n) * sizeof(float));
  v->host_a = (uint16_t *)assay_alloc(v->a.bytes);
  assay_cuda_random_f16(p->gpu, &v->a, seed);
  assay_cuda_random_f16(p->gpu, &v->b, seed ^ 0x5bd1e9955bd1e995ULL);
  oracle_product<<<grid, tile, 0, p->gpu->stream>>>(p->m, p->n, p->k, (const __half *)v->a.data, (const __half *)v->b.data,
                                                   (double *)v->exact.data, (float *)v->scale.data);
  ASSAY_CUDA(cudaGetLastError());
  assay_cuda_settle(p->gpu);
  oracle_checked(p, v, seed);
}

static void problem_new(problem *p, const assay_ctx *ctx, assay_cuda *gpu, int m, int n, int k, int versions, int sets,
                        uint64_t seed) {
  memset(p, 0, sizeof *p);
  if (m < 1 || n < 8 || k < 8 || n % 8 || k % 8 || area(m, k) > 1u << 30 || area(k, n) > 1u << 30 || area(m, n) > 1u << 30)
    assay_die(ASSAY_EXIT_RUNTIME, "dims M=%d N=%d K=%d are outside of the contract: N and K are multiples of 8", m, n, k);
  p->gpu = gpu;
  p->m = m;
  p->n = n;
  p->k = k;
  p->sets = sets;
  for (int v = 0; v < versions; v++) content_new(p, &p->version[v], seed + (uint64_t)v);
  p->flips = (oracle_flips *)assay_alloc(sizeof *p->flips * (size_t)sets);
  p->sum_a = (uint64_t *)assay_alloc(sizeof *p->sum_a * (size_t)sets);
  p->sum_b = (uint64_t *)assay_alloc(sizeof *p->sum_b * (size_t)sets);
  p->a = (assay_cuda_buffer *)assay_alloc(sizeof *p->a * (size_t)sets);
  p->b = (assay_cuda_buffer *)assay_alloc(sizeof *p->b * (size_t)sets);
  p->c = (assay_cuda_buffer *)assay_alloc(sizeof *p->c * (size_t)sets);
  for (int s = 0; s < sets; s++) {
    p->a[s] = assay_cuda_buffer_new(area(m, k) * 2);
    p->b[s] = assay_cuda_buffer_new(area(k, n) * 2);
    p->c[s] = assay_cuda_buffer_new(area(m, n) * 2);
  }
  ASSAY_CUDA(cudaMalloc(&p->found, sizeof *p->found));
  for (int i = 0; i < ctx->subject_count; i++) memcpy(&p->fn[i], &ctx->subject[i].entry, sizeof p->fn[i]);
}

static void problem_free(problem *p) {
  for (int v = 0; v < 2; v++) {
    assay_cuda_buffer_free(&p->version[v].a);
    assay_cuda_buffer_free(&p->version[v].b);
    assay_cuda_buffer_free(&p->version[v].exact);
    assay_cuda_buffer_free(&p->version[v].scale);
    free(p->version[v].host_a);
  }
  for (int s = 0; s < p->sets; s++) {
    assay_cuda_buffer_free(&p->a[s]);
    assay_cuda_buffer_free(&p->b[s]);
    assay_cuda_buffer_free(&p->c[s]);
  }
  ASSAY_CUDA(cudaFree(p->found));
  free(p->flips);
  free(p->sum_a);
  free(p->sum_b);
  free(p->a);
  free(p->b);
  free(p->c);
}

static void launch(void *user, int subject, int set) {
  problem *p = (problem *)user;
  int code = p->fn[subject](p->m, p->n, p->k, (const __half *)p->a[set].data, (const __half *)p->b[set].data,
                            (__half *)p->c[set].data, p->gpu->stream);
  if (code) assay_die(ASSAY_EXIT_LAUNCH, "%s on %s: launch failed: %s (%d)", assay_now_running, assay_now_workload,
                      cudaGetErrorString((cudaError_t)code), code);
}

static void start(void *user) { assay_cuda_start(((problem *)user)->gpu); }
static double stop(void *user) { return assay_cuda_stop(((problem *)user)->gpu); }
static double clock_mhz(void *user) { return assay_nvml_clock_mhz(&((problem *)user)->gpu->nvml, 1); }
static void flush(void *user) { assay_cuda_flush(((problem *)user)->gpu); }

static void block_done(void *user, assay_ctx *ctx, const assay_workload *w, int block) {
  assay_nvml_answer(&((problem *)user)->gpu->nvml, ctx, w, block);
}

static void sums(problem *p, int set) {
  p->sum_a[set] = assay_cuda_checksum_f16(p->gpu, &p->a[set]);
  p->sum_b[set] = assay_cuda_checksum_f16(p->gpu, &p->b[set]);
}

static void fill(void *user, int set, int version) {
  problem *p = (problem *)user;
  const content *v = &p->version[version];
  ASSAY_CUDA(cudaMemcpyAsync(p->a[set].data, v->a.data, v->a.bytes, cudaMemcpyDeviceToDevice, p->gpu->stream));
  ASSAY_CUDA(cudaMemcpyAsync(p->b[set].data, v->b.data, v->b.bytes, cudaMemcpyDeviceToDevice, p->gpu->stream));
  memset(&p->flips[set], 0, sizeof p->flips[set]);
  p->flips[set].k = p->k;
  p->flips[set].version = version;
  sums(p, set);
}

static void fresh(void *user, int set, uint64_t salt) {
  problem *p = (problem *)user;
  oracle_flips *f = &p->flips[set];
  const uint16_t *a = p->version[f->version].host_a;
  for (f->count = 0; f->count < FLIPS; f->count++) {
    size_t at = (size_t)(assay_random(&salt) % area(p->m, p->k));
    double change = -2.0 * (double)oracle_of_half(a[at]);
    for (int g = 0; g < f->count; g++) /* a sign that is drawn twice is back where it was */
      if (f->at[g] == at) change = -change;
    f->at[f->count] = at;
    f->change[f->count] = change;
  }
  oracle_flip<<<1, 1, 0, p->gpu->stream>>>((__half *)p->a[set].data, *f);
  ASSAY_CUDA(cudaGetLastError());
  p->sum_a[set] = assay_cuda_checksum_f16(p->gpu, &p->a[set]);
}

static void poison(void *user, int set) {
  problem *p = (problem *)user;
  assay_cuda_poison_f16(p->gpu, &p->c[set]);
}

static long long unwritten(void *user, int set) {
  problem *p = (problem *)user;
  return assay_cuda_unwritten_f16(p->gpu, &p->c[set]);
}

static int intact(void *user, int set, int version) {
  problem *p = (problem *)user;
  (void)version;
  return assay_cuda_checksum_f16(p->gpu, &p->a[set]) == p->sum_a[set] &&
         assay_cuda_checksum_f16(p->gpu, &p->b[set]) == p->sum_b[set] && assay_cuda_buffer_intact(p->gpu, &p->a[set]) &&
         assay_cuda_buffer_intact(p->gpu, &p->b[set]);
}

static void verify(void *user, int set, int version, assay_error *e) {
  problem *p = (problem *)user;
  const content *v = &p->version[version];
  oracle_found found;
  memset(&found, 0, sizeof found);
  found.first = ~0ull;
  ASSAY_CUDA(cudaMemcpyAsync(p->found, &found, sizeof found, cudaMemcpyHostToDevice, p->gpu->stream));
  oracle_compare<<<1024, 256, 0, p->gpu->stream>>>((const unsigned short *)p->c[set].data, area(p->m, p->n), p->n,
                                                   (const double *)v->exact.data, (const float *)v->scale.data,
                                                   (const __half *)v->b.data, p->flips[set], p->found);
  ASSAY_CUDA(cudaGetLastError());
  ASSAY_CUDA(cudaMemcpyAsync(&found, p->found, sizeof found, cudaMemcpyDeviceToHost, p->gpu->stream));
  assay_cuda_settle(p->gpu);
  double off, rel;
  memcpy(&off, &found.worst_abs, sizeof off);
  memcpy(&rel, &found.worst_rel, sizeof rel);
  if (off > e->max_abs) e->max_abs = off;
  if (rel > e->max_rel) e->max_rel = rel;
  e->bad += (long long)found.bad;
  e->nonfinite += (long long)found.nonfinite;
  e->unwritten += (long long)found.unwritten;
  if (found.first != ~0ull && !e->detail[0]) {
    double exact;
    uint16_t got;
    ASSAY_CUDA(cudaMemcpy(&exact, (double *)v->exact.data + found.first, sizeof exact, cudaMemcpyDeviceToHost));
    ASSAY_CUDA(cudaMemcpy(&got, (uint16_t *)p->c[set].data + found.first, sizeof got, cudaMemcpyDeviceToHost));
    snprintf(e->detail, sizeof e->detail,
             "%llu of %zu elements wrong (%llu never written, %llu not finite), off by up to %.3g times what is allowed; "
             "first at row %llu column %llu: expected %.7g, got %.7g",
             found.bad + found.nonfinite + found.unwritten, area(p->m, p->n), found.unwritten, found.nonfinite, rel,
             found.first / (unsigned)p->n, found.first % (unsigned)p->n, exact, (double)oracle_of_half(got));
  }
  if (!assay_cuda_buffer_intact(p->gpu, &p->c[set])) assay_error_fail(e, "wrote before the start or past the end of C");
}

/* One launch of one shape on fresh addresses; what it finds is added to the workload's answer. */
static void check_shape(const assay_ctx *ctx, assay_cuda *gpu, int m, int n, int k, uint64_t seed, assay_error *worst) {
  problem p;
  assay_error error;
  if (m < 1 || n < 8 || k < 8) return;
  memset(&error, 0, sizeof error);
  problem_new(&p, ctx, gpu, m, n, k, 1, 1, seed);
  fill(&p, 0, 0);
  poison(&p, 0);
  assay_cuda_settle(gpu);
  launch(&p, 0, 0);
  cudaError_t code = cudaDeviceSynchronize();
  if (code != cudaSuccess)
    assay_die(ASSAY_EXIT_LAUNCH, "%s at M=%d N=%d K=%d: %s", assay_now_running, m, n, k, cudaGetErrorString(code));
  verify(&p, 0, 0, &error);
  if (!intact(&p, 0, 0)) assay_error_fail(&error, "the inputs were changed, or something around them");
  if (!assay_error_ok(&error, 1.0)) {
    char text[sizeof error.detail];
    snprintf(text, sizeof text, "at M=%d N=%d K=%d: %.200s", m, n, k, error.detail[0] ? error.detail : "error above the tolerance");
    memcpy(error.detail, text, sizeof text);
  }
  assay_error_worst(worst, &error);
  problem_free(&p);
}

/* Figures that the compiler printed beside the artefact (`ptxas -v`), and what a launch asks for at run time. */
static void resources(assay_ctx *ctx, const assay_cuda *gpu) {
  char path[4200], line[4096];
  double registers = 0, spilled = 0, stack = 0, shared = 0;
  int (*dynamic)(void);
  FILE *file;
  snprintf(path, sizeof path, "%s/ptxas.txt", ctx->subject[0].folder);
  file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file)) {
    const char *at;
    double a, b, c;
    if (sscanf(line, " %lf bytes stack frame, %lf bytes spill stores, %lf bytes spill loads", &a, &b, &c) == 3) {
      stack = a > stack ? a : stack;
      spilled += b + c;
    }
    if ((at = strstr(line, "Used ")) && sscanf(at, "Used %lf registers", &a) == 1 && a > registers) registers = a;
    for (at = line; (at = strstr(at, ", ")) != NULL; at += 2) {
      int end = 0;
      if (sscanf(at, ", %lf bytes smem%n", &a, &end) == 1 && end && a > shared) shared = a;
    }
  }
  *(void **)&dynamic = dlsym(ctx->subject[0].handle, "gemm_dynamic_shared");
  if (dynamic) shared += dynamic();
  if (file) {
    fclose(file);
    assay_resource(ctx, 0, "registers", registers, "1");
    assay_resource(ctx, 0, "spill_bytes", spilled, "B");
    assay_resource(ctx, 0, "stack_bytes", stack, "B");
    assay_resource(ctx, 0, "shared_bytes", shared, "B");
  }
  assay_resource(ctx, 0, "shared_limit", (double)gpu->shared_limit, "B");
}

/*
 * Each workload stands for its neighbourhood: its own shape twice with different contents, one row less and more, eight
 * columns and eight of the depth less and more, and small shapes, one of them drawn from the seed.
 */
static void check(assay_ctx *ctx, assay_cuda *gpu) {
  /* Before anything is launched: they say why the device refuses what it refuses. */
  resources(ctx, gpu);
  assay_flush_answers(ctx);
  for (int i = 0; i < ctx->plan.workload_count; i++) {
    const assay_workload *w = &ctx->plan.workload[i];
    int m = (int)assay_dim(w, "M"), n = (int)assay_dim(w, "N"), k = (int)assay_dim(w, "K");
    uint64_t seed = assay_seed(ctx, w->name, 1), draw = seed;
    assay_error worst;
    memset(&worst, 0, sizeof worst);
    assay_now_running = ctx->subject[0].id;
    assay_now_workload = w->name;
    check_shape(ctx, gpu, m, n, k, seed + 10, &worst);
    check_shape(ctx, gpu, m, n, k, seed + 20, &worst);
    check_shape(ctx, gpu, m - 1, n - 8, k - 8, seed + 30, &worst);
    check_shape(ctx, gpu, m + 1, n + 8, k + 8, seed + 40, &worst);
    check_shape(ctx, gpu, 1, 8, 8, seed + 50, &worst);
    check_shape(ctx, gpu, 1, n, 24, seed + 60, &worst);
    check_shape(ctx, gpu, m, 8, 16, seed + 70, &worst);
    check_shape(ctx, gpu, 1 + (int)(assay_random(&draw) % 300), 8 + 8 * (int)(assay_random(&draw) % 40),
                8 + 8 * (int)(assay_random(&draw) % 40), seed + 80, &worst);
    assay_check_answer(ctx, w, 0, &worst, 1.0);
    assay_flush_answers(ctx);
  }
}

static void bench(assay_ctx *ctx, assay_cuda *gpu) {
  for (int i = 0; i < ctx->plan.workload_count; i++) {
    const assay_workload *w = &ctx->plan.workload[i];
    problem p;
    assay_case c;
    problem_new(&p, ctx, gpu, (int)assay_dim(w, "M"), (int)assay_dim(w, "N"), (int)assay_dim(w, "K"), 2, 4,
                assay_seed(ctx, w->name, 2 + (uint64_t)ctx->plan.process));
    memset(&c, 0, sizeof c);
    c.user = &p;
    c.sets = strcmp(ctx->plan.cache, "rotating") ? 1 : p.sets;
    c.spare = p.sets - c.sets;
    c.launch = launch;
    c.start = start;
    c.stop = stop;
    c.clock_mhz = clock_mhz;
    c.block_done = block_done;
    c.fill = fill;
    c.fresh = fresh;
    c.poison = poison;
    c.unwritten = unwritten;
    c.intact = intact;
    c.verify = verify;
    c.flush = flush;
    c.tolerance = 1.0;
    assay_measure(ctx, w, &c);
    assay_cuda_check(ctx, gpu);
    problem_free(&p);
  }
}

enum { PROFILED = 3 }; /* launches of the profile stage */

/* A few launches on random inputs, so that a counter tool sees the kernel and little else. */
static void profile(assay_ctx *ctx, assay_cuda *gpu) {
  const assay_workload *w = &ctx->plan.workload[0];
  problem p;
  assay_now_running = ctx->subject[0].id;
  assay_now_workload = w->name;
  problem_new(&p, ctx, gpu, (int)assay_dim(w, "M"), (int)assay_dim(w, "N"), (int)assay_dim(w, "K"), 0, 1, 0);
  assay_cuda_random_f16(gpu, &p.a[0], assay_seed(ctx, w->name, 3));
  assay_cuda_random_f16(gpu, &p.b[0], assay_seed(ctx, w->name, 4));
  for (int i = 0; i < PROFILED; i++) launch(&p, 0, 0);
  ASSAY_CUDA(cudaDeviceSynchronize());
  problem_free(&p);
}

int main(int argc, char **argv) {
  assay_ctx *ctx = assay_open();
  assay_cuda *gpu = assay_cuda_open(ctx);
  const char *stage = argc == 2 ? argv[1] : ctx->plan.stage;
  assay_load_all(ctx, "gemm");
  if (!strcmp(stage, "check")) check(ctx, gpu);
  else if (!strcmp(stage, "bench")) bench(ctx, gpu);
  else if (!strcmp(stage, "profile")) profile(ctx, gpu);
  else assay_die(ASSAY_EXIT_RUNTIME, "unknown stage `%s`; use check, bench or profile", stage);
  return assay_close(ctx);
}

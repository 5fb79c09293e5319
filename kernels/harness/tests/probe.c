/* An evaluator of the smallest possible kernel, out[i] = 2 in[i], with honest and dishonest versions by subject id. */
#include "../assay_bench.h"

/* Long enough that a launch stands out of what a window costs (5 us), on a fast processor too. */
enum { COUNT = 80000 };

typedef struct {
  float version[2][COUNT], in[COUNT], out[COUNT];
  double exact[2][COUNT], scale[COUNT];
  const assay_ctx *ctx;
  double opened;
} state;

static float last_seen;

static void doubled(const float *in, float *out, int n) {
  for (int i = 0; i < n; i++) out[i] = 2.0f * in[i];
}

static void launch(void *user, int subject, int set) {
  state *s = (state *)user;
  const char *id = s->ctx->subject[subject].id;
  (void)set;
  if (strstr(id, "partial")) doubled(s->in, s->out, COUNT - 1);
  else if (strstr(id, "silent")) return;
  else if (strstr(id, "infinite")) { doubled(s->in, s->out, COUNT); s->out[7] = HUGE_VALF; }
  else if (strstr(id, "mutates")) { doubled(s->in, s->out, COUNT); s->in[0] = 0.0f; }
  else if (strstr(id, "crash")) *(volatile int *)(void *)8 = 1;
  else if (strstr(id, "lazy")) {
    if (s->in[0] == last_seen && isfinite(s->out[0])) return;
    last_seen = s->in[0];
    doubled(s->in, s->out, COUNT);
  } else doubled(s->in, s->out, COUNT);
}

static void fill(void *user, int set, int version) {
  state *s = (state *)user;
  (void)set;
  memcpy(s->in, s->version[version], sizeof s->in);
}

static void poison(void *user, int set) {
  (void)set;
  assay_poison_f32(((state *)user)->out, COUNT);
}

static int intact(void *user, int set, int version) {
  state *s = (state *)user;
  (void)set;
  return !memcmp(s->in, s->version[version], sizeof s->in);
}

static void verify(void *user, int set, int version, assay_error *e) {
  state *s = (state *)user;
  (void)set;
  assay_compare_f32(s->out, s->exact[version], s->scale, COUNT, 100, 1e-6, e);
}

/* A stand-in for the clock of a device. */
static void start(void *user) { ((state *)user)->opened = assay_time_ns(((state *)user)->ctx); }
static double stop(void *user) { return (assay_time_ns(((state *)user)->ctx) - ((state *)user)->opened) / 4; }
static double clock_mhz(void *user) { return strstr(((state *)user)->ctx->subject[1].id, "unknown") ? 0 : 1755.5; }
static void block_done(void *user, assay_ctx *ctx, const assay_workload *w, int block) {
  char text[200];
  (void)user;
  snprintf(text, sizeof text, "%s, block %d", w->name, block);
  assay_note(ctx, text);
}

/* Prints what the reader and the environment hold, for the tests to compare. */
static void describe(const assay_ctx *ctx) {
  const assay_workload *w = &ctx->plan.workload[0];
  uint64_t stream = 1;
  printf("%s|%s|%llu|%d|%s|%lld|%.0f\n", ctx->subject[0].id, w->name, (unsigned long long)ctx->plan.seed,
         ctx->plan.order_count, ctx->plan.order[0], assay_dim(w, "M"), w->flops);
  printf("%s%s%s\n", getenv("ASSAY_FD") ? "fd " : "", getenv("ASSAY_NONCE") ? "nonce " : "",
         getenv("ASSAY_PLAN") ? "plan" : "");
  printf("%llu\n", (unsigned long long)assay_random(&stream));
  fflush(stdout);
}

/* A step before the first launch that is not timed. */
static void sorted_out(void *user) {
  state *s = (state *)user;
  for (int i = 0; i < COUNT; i++) s->scale[i] = 1 + fabs(s->exact[0][i]);
}

int main(int argc, char **argv) {
  assay_ctx *ctx = assay_open();
  state *s = (state *)assay_alloc(sizeof *s);
  const assay_workload *w = &ctx->plan.workload[0];
  assay_case c;
  assay_error e;
  s->ctx = ctx;
  for (int v = 0; v < 2; v++) {
    assay_fill_f32(s->version[v], COUNT, assay_seed(ctx, w->name, (uint64_t)v));
    for (int i = 0; i < COUNT; i++) {
      s->exact[v][i] = 2.0 * (double)s->version[v][i];
      s->scale[i] = 1.0;
    }
  }
  if (argc > 1 && !strcmp(argv[1], "describe")) describe(ctx);
  else if (argc > 1 && !strcmp(argv[1], "load")) assay_load_all(ctx, "kernel");
  else if (!strcmp(ctx->plan.stage, "check")) {
    memset(&e, 0, sizeof e);
    fill(s, 0, 0);
    poison(s, 0);
    assay_now_running = ctx->subject[0].id;
    launch(s, 0, 0);
    verify(s, 0, 0, &e);
    if (!intact(s, 0, 0)) assay_error_fail(&e, "the inputs were changed");
    assay_check_answer(ctx, w, 0, &e, 1e-6);
    assay_untimed_step(ctx, 0, "pack-b", sorted_out, s);
  } else {
    memset(&c, 0, sizeof c);
    c.user = s;
    c.sets = 1;
    c.launch = launch;
    c.fill = fill;
    c.poison = poison;
    c.intact = intact;
    c.verify = verify;
    c.tolerance = 1e-6;
    if (strstr(ctx->subject[0].id, "clocked")) {
      ctx->device = 1;
      ctx->timer = "stand_in";
      ctx->tick_ns = 500;
      c.start = start;
      c.stop = strstr(ctx->subject[0].id, "half") ? NULL : stop;
      c.clock_mhz = clock_mhz;
      c.block_done = block_done;
    }
    assay_measure(ctx, w, &c);
  }
  return assay_close(ctx);
}

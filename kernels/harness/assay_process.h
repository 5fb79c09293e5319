/*
 * assay_process.h: start, load, finish, and what code under test must leave alone meanwhile.
 *
 * Part of assay_bench.h, which includes it; keep all of them in one folder.
 */
#ifndef ASSAY_PROCESS_H
#define ASSAY_PROCESS_H

#include "assay_answers.h"
#include "assay_plan.h"

/* ---- start, load, finish -------------------------------------------------------------- */

/* Takes a variable out of the environment, its bytes included, so that /proc/self/environ loses it too. */
static char *assay_take_env(const char *name, int needed) {
  char *value = getenv(name), *copy;
  size_t n;
  if (!value) {
    if (needed) assay_die(ASSAY_EXIT_RUNTIME, "%s is not set; start this program through `assay run`", name);
    return NULL;
  }
  n = strlen(value);
  if (n > ASSAY_MAX_TEXT) assay_die(ASSAY_EXIT_RUNTIME, "%s is too long (%zu bytes)", name, n);
  copy = (char *)assay_alloc(n + 1);
  memcpy(copy, value, n + 1);
  memset(value, 0, n);
  unsetenv(name);
  return copy;
}

/* Reads subjects, plan and answer channel, and hides them. Call it before any code under test is loaded. */
static inline assay_ctx *assay_open(void) {
  assay_ctx *ctx = (assay_ctx *)assay_alloc(sizeof *ctx);
  char *subjects = assay_take_env("ASSAY_SUBJECTS", 1);
  char *plan = assay_take_env("ASSAY_PLAN", 1);
  char *fd = assay_take_env("ASSAY_FD", 0);
  char *nonce = assay_take_env("ASSAY_NONCE", 0);
  struct timespec tick;
  struct sigaction action;
  int signals[4] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE}, i;

  assay_read_subjects(ctx, subjects);
  assay_read_plan(ctx, plan);
  ctx->fd = -1;
  if (fd && nonce) {
    char *end;
    long number = strtol(fd, &end, 10);
    int moved;
    if (*end || number < 0 || number > 1 << 20) assay_die(ASSAY_EXIT_RUNTIME, "ASSAY_FD is not a descriptor: %s", fd);
    if (strlen(nonce) >= sizeof ctx->nonce || strspn(nonce, "0123456789abcdefABCDEF") != strlen(nonce))
      assay_die(ASSAY_EXIT_RUNTIME, "ASSAY_NONCE is not a hex number of at most 128 digits");
    ctx->nonce_len = strlen(nonce);
    memcpy(ctx->nonce, nonce, ctx->nonce_len);
    ctx->mask = ctx->plan.seed ^ ((uint64_t)getpid() << 32) ^ (uint64_t)(uintptr_t)ctx;
    assay_mask(ctx, ctx->nonce, ctx->nonce_len);
    /* Another number than the one announced, closed on exec: a child or a guess does not reach it. */
    moved = fcntl((int)number, F_DUPFD_CLOEXEC, 64 + (int)(ctx->plan.seed % 128));
    if (moved < 0 && (errno == EINVAL || errno == EMFILE)) moved = fcntl((int)number, F_DUPFD_CLOEXEC, 3);
    if (moved < 0) assay_die(ASSAY_EXIT_RUNTIME, "ASSAY_FD %ld is not open: %s", number, strerror(errno));
    close((int)number);
    ctx->fd = moved;
  } else if (strcmp(ctx->plan.stage, "profile")) {
    assay_die(ASSAY_EXIT_RUNTIME, "ASSAY_FD or ASSAY_NONCE is not set; start this program through `assay run`");
  }
  free(subjects);
  free(plan);
  free(fd);
  if (nonce) memset(nonce, 0, strlen(nonce));
  free(nonce);

#if defined(CLOCK_MONOTONIC_RAW)
  ctx->clock = CLOCK_MONOTONIC_RAW;
  ctx->timer = "clock_monotonic_raw";
  if (clock_getres(ctx->clock, &tick) != 0)
#endif
  {
    ctx->clock = CLOCK_MONOTONIC;
    ctx->timer = "clock_monotonic";
    if (clock_getres(ctx->clock, &tick) != 0) assay_die(ASSAY_EXIT_RUNTIME, "no monotonic clock");
  }
  ctx->tick_ns = tick.tv_sec * 1000000000L + tick.tv_nsec;
  if (ctx->tick_ns < 1) ctx->tick_ns = 1;

  memset(&action, 0, sizeof action);
  action.sa_handler = assay_on_crash;
  for (i = 0; i < 4; i++) sigaction(signals[i], &action, NULL);
  signal(SIGPIPE, SIG_IGN);
  ctx->last_subject = -1;
  ctx->state = assay_state_now();
  return ctx;
}

/*
 * Processor time in ns that other threads of this process have used so far, also those that ended. Call it on the
 * thread that launches. Threads that come and go inside one launch are seen here and nowhere else.
 */
static inline double assay_other_threads_ns(void) {
  struct timespec all, own;
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &own) || clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &all)) return 0;
  return (double)(all.tv_sec - own.tv_sec) * 1e9 + (double)(all.tv_nsec - own.tv_nsec);
}

/* ---- what code under test must leave alone ---------------------------------------------- */

static double assay_cpu_ns(clockid_t clock) {
  struct timespec t;
  return clock_gettime(clock, &t) ? 0 : (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Ends the process when the last launches of a subject changed what others live with. `full` takes about 0.1 ms. */
static inline void assay_guard_state(const assay_ctx *ctx, int subject, int full) {
  assay_state now;
  const char *change;
  if (full) now = assay_state_now();
  else { memset(&now, 0, sizeof now); assay_state_quick(&now); }
  change = assay_state_change(&ctx->state, &now, full && !ctx->device);
  if (!change) return;
  assay_arithmetic_default();
  if (full && ctx->subject_count > 1) /* seen at the end, when both have run */
    assay_die(ASSAY_EXIT_TAMPERED, "a launch of %s or %s %s", ctx->subject[0].id, ctx->subject[1].id, change);
  assay_die(ASSAY_EXIT_TAMPERED, "%s %s", ctx->subject[subject].id, change);
}

/* Ends the process when code in memory, its own or that of others, is no longer what was loaded. */
static inline void assay_guard_code(const assay_ctx *ctx) {
  assay_image now = assay_image_now();
  int i;
  for (i = 0; i < ctx->subject_count; i++)
    if (ctx->subject[i].entry && !assay_code_as_in_file(ctx->subject[i].entry))
      assay_die(ASSAY_EXIT_TAMPERED, "the code of %s in memory is not what its file holds; it was rewritten",
                ctx->subject[i].id);
  if (!ctx->image.objects || ctx->device) return;
  if (now.objects > ctx->image.objects)
    assay_die(ASSAY_EXIT_TAMPERED, "a library was loaded by a launch: %s", now.newest);
  if (now.code != ctx->image.code) assay_die(ASSAY_EXIT_TAMPERED, "code of the harness or of a library was rewritten");
  if (now.tables != ctx->image.tables)
    assay_die(ASSAY_EXIT_TAMPERED, "the harness's table of functions was rewritten");
}

/* The value of a dim; a workload without it is a mistake in assay.toml, so it ends the program. */
static inline long long assay_dim(const assay_workload *w, const char *name) {
  int i;
  for (i = 0; i < w->dim_count; i++)
    if (!strcmp(w->dim_name[i], name)) return w->dim[i];
  assay_die(ASSAY_EXIT_RUNTIME, "workload %s has no dim %s; add it in assay.toml", w->name, name);
  return 0;
}

static inline void *assay_load(assay_ctx *ctx, int subject, const char *symbol) {
  assay_subject *s = &ctx->subject[subject];
  char sha256[65];
  const char *name;
  double before = assay_cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
  assay_now_running = s->id;
  s->handle = dlopen(s->artefact, RTLD_NOW | RTLD_LOCAL);
  if (!s->handle) assay_die(ASSAY_EXIT_LAUNCH, "cannot load %s: %s", s->id, dlerror());
  s->load_cpu_ns = assay_cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - before;
  s->entry = dlsym(s->handle, symbol);
  if (!s->entry) assay_die(ASSAY_EXIT_LAUNCH, "%s exports no `%s`; see the README of the campaign", s->id, symbol);
  name = assay_shadowed_name(s->handle, s->entry);
  if (name) assay_die(ASSAY_EXIT_TAMPERED, "%s defines `%s`, which is a function of the system; rename it", s->id, name);
  assay_guard_state(ctx, subject, 0);
  if (strcmp(ctx->plan.stage, "profile") && assay_sha_file(s->artefact, sha256)) {
    assay_begin_answer(ctx, "loaded");
    assay_put_string(ctx, "subject", s->id);
    assay_put_string(ctx, "sha256", sha256);
    assay_end_answer(ctx);
  }
  return s->entry;
}

/* Loads every subject in the plan's order: load order is part of what differs between processes. */
static inline void assay_load_all(assay_ctx *ctx, const char *symbol) {
  const char *c;
  int i;
  for (c = ctx->plan.load_order; *c; c++)
    if (*c >= 'A' && *c < 'A' + ctx->subject_count) assay_load(ctx, *c - 'A', symbol);
  for (i = 0; i < ctx->subject_count; i++)
    if (!ctx->subject[i].handle) assay_load(ctx, i, symbol);
  for (i = 1; i < ctx->subject_count; i++)
    if (ctx->subject[i].entry == ctx->subject[0].entry && strcmp(ctx->subject[i].artefact, ctx->subject[0].artefact))
      assay_die(ASSAY_EXIT_LAUNCH, "%s and %s resolve to the same code", ctx->subject[0].id, ctx->subject[i].id);
  ctx->image = assay_image_now();
  ctx->state.objects = ctx->image.objects;
}

/* Ends the answers and gives the exit code of the process. */
static inline int assay_close(assay_ctx *ctx) {
  if (strcmp(ctx->plan.stage, "profile")) {
    int i;
    for (i = 0; i < ctx->subject_count; i++) assay_guard_state(ctx, i, 1);
    assay_guard_code(ctx);
  }
  assay_begin_answer(ctx, "done");
  assay_put_number(ctx, "process", (double)ctx->plan.process);
  assay_end_answer(ctx);
  assay_flush_answers(ctx);
  return ctx->wrong ? ASSAY_EXIT_WRONG : ASSAY_EXIT_OK;
}

#endif /* ASSAY_PROCESS_H */

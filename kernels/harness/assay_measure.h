/*
 * assay_measure.h: all legs of one workload, with everything that is looked at around them.
 *
 * Part of assay_bench.h, which includes it; keep all of them in one folder.
 */
#ifndef ASSAY_MEASURE_H
#define ASSAY_MEASURE_H

#include "assay_buffers.h"
#include "assay_process.h"

/* ---- measuring ------------------------------------------------------------------------ */

static inline double assay_time_ns(const assay_ctx *ctx) {
  struct timespec t;
  clock_gettime(ctx->clock, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/*
 * Reports what a step costs that belongs to using the kernel and is not timed, e.g. packing an operand once; `name` is
 * that of [[untimed]] in assay.toml. Call it in the check stage. The most expensive report of a step counts.
 */
static inline void assay_untimed(assay_ctx *ctx, int subject, const char *name, double ns) {
  char resource[160];
  snprintf(resource, sizeof resource, "untimed.%.128s_ms", name);
  assay_resource(ctx, subject, resource, ns / 1e6, "ms");
}

/* Runs such a step once and reports the wall time it takes. A step on a device has to wait for it before it returns. */
static inline double assay_untimed_step(assay_ctx *ctx, int subject, const char *name, void (*step)(void *), void *user) {
  double start = assay_raw_ns(ctx->clock), ns;
  step(user);
  ns = assay_raw_ns(ctx->clock) - start;
  assay_untimed(ctx, subject, name, ns);
  return ns;
}

/*
 * Before a window: what other threads did since the last one. A thread that works on after the call returned works
 * unmeasured, and slows the other subject down.
 */
static void assay_window_opens(assay_ctx *ctx) {
  double other = assay_other_threads_ns(), wall = assay_raw_ns(ctx->clock);
  if (ctx->last_subject >= 0) {
    assay_subject *s = &ctx->subject[ctx->last_subject];
    s->gap_ns += wall - ctx->last_wall_ns;
    if (other > ctx->last_other_ns) s->gap_other_ns += other - ctx->last_other_ns;
  }
}

/* After a window: the clock is held against the system's, which was read around it. */
static void assay_window_closes(assay_ctx *ctx, int subject, double opened_ns, double window_ns) {
  assay_subject *s = &ctx->subject[subject];
  double around = assay_raw_ns(ctx->clock) - opened_ns;
  s->clock_seen++;
  /* A device's window begins when its work does, and may be far shorter than what the host sees around it. */
  if (window_ns > around * (ctx->device ? 1.01 : 1) + 1000 || (!ctx->device && window_ns < 0.9 * around - 20000))
    s->clock_odd++;
  ctx->last_subject = subject;
  ctx->last_other_ns = assay_other_threads_ns();
  ctx->last_wall_ns = assay_raw_ns(ctx->clock);
}

/* Ends the process when what was seen around the windows of a workload says that the times are not the work's. */
static void assay_guard_windows(assay_ctx *ctx) {
  double gap = 0, other = 0;
  int i;
  for (i = 0; i < ctx->subject_count; i++) {
    assay_subject *s = &ctx->subject[i];
    if (s->clock_seen >= 4 && s->clock_odd * 2 > s->clock_seen)
      assay_die(ASSAY_EXIT_TAMPERED, "the clock around launches of %s disagrees with the system's; it was replaced", s->id);
    gap += s->gap_ns;
    other += s->gap_other_ns;
    s->clock_seen = s->clock_odd = 0;
    s->gap_ns = s->gap_other_ns = 0;
  }
  if (!ctx->device && other > ASSAY_LATE_WORK_NS && other > ASSAY_LATE_WORK_SHARE * gap)
    assay_die(ASSAY_EXIT_TAMPERED,
              "threads work on when launches have returned: %.0f %% of a processor between batches; a pool has to sleep "
              "while it waits", 100 * other / gap);
  ctx->last_subject = -1;
}

/* One window: nothing but launches between the two readings of the clock. */
static double assay_window(assay_ctx *ctx, assay_case *c, int subject, long launches, long *next_set, int sets) {
  double start = 0, opened = assay_raw_ns(ctx->clock), ns;
  long i;
  if (c->start) c->start(c->user);
  else start = assay_time_ns(ctx);
  for (i = 0; i < launches; i++) c->launch(c->user, subject, (int)((*next_set)++ % sets));
  if (c->finish) c->finish(c->user);
  ns = c->stop ? c->stop(c->user) : assay_time_ns(ctx) - start;
  assay_window_closes(ctx, subject, opened, ns);
  return ns;
}

/* Time of `launches` launches in ns. In cold mode each is timed alone, after a flush outside the window. */
static double assay_time_batch(assay_ctx *ctx, assay_case *c, int subject, long launches, long *next_set, int sets) {
  int cold = !strcmp(ctx->plan.cache, "cold");
  double total = 0;
  long i;
  assay_window_opens(ctx);
  if (!cold) return assay_window(ctx, c, subject, launches, next_set, sets);
  for (i = 0; i < launches; i++) {
    c->flush(c->user);
    total += assay_window(ctx, c, subject, 1, next_set, sets);
  }
  return total;
}

/*
 * What a batch cost: the processor time that was spent on it, whoever spent it, where the host does the work. So time in
 * which others had the processor is not counted. A clock that ticks too coarsely for a batch, or work that was done
 * where no clock of this process sees it, is not believed: then the time counts.
 */
static double assay_work_ns(const assay_ctx *ctx, const assay_case *c, double ns, double spent_ns, double other_ns) {
  if (ctx->device || c->start || spent_ns < ns / 64) return ns;
  return spent_ns > ns && other_ns < 0.05 * spent_ns ? ns : spent_ns;
}

/*
 * Everything around one timed batch: contents changed and outputs poisoned before, both verified after.
 */
static double assay_checked_batch(assay_ctx *ctx, assay_case *c, int subject, long launches, int version,
                                  long *next_set, int sets, uint64_t *salt, assay_error *e) {
  int used = launches < sets ? (int)launches : sets, i;
  long first = *next_set;
  long long late;
  double ns;
  for (i = 0; i < used; i++) {
    int set = (int)((first + i) % sets);
    c->fill(c->user, set, version);
    if (c->fresh) c->fresh(c->user, set, assay_random(salt));
    c->poison(c->user, set);
  }
  ns = assay_time_batch(ctx, c, subject, launches, next_set, sets);
  late = c->unwritten ? c->unwritten(c->user, (int)((*next_set - 1) % sets)) : 0;
  for (i = 0; i < used; i++) {
    int set = (int)((first + i) % sets);
    assay_error one;
    memset(&one, 0, sizeof one);
    if (late > 0 && set == (int)((*next_set - 1) % sets) && c->unwritten(c->user, set) < late)
      assay_error_fail(&one, "%lld elements of the output were written after the call had returned", late);
    /* The inputs first: a kernel that changes them also gets later outputs wrong, and the cause is the news. */
    if (c->intact && !c->intact(c->user, set, version)) assay_error_fail(&one, "a timed launch changed its inputs");
    c->verify(c->user, set, version, &one);
    assay_error_worst(e, &one);
  }
  return ns;
}

static void assay_samples(assay_ctx *ctx, const assay_workload *w, int subject, int block, int leg,
                          const double *values, int count, long launches, double tick, double clock_mhz) {
  int i;
  assay_begin_answer(ctx, "samples");
  assay_put_string(ctx, "workload", w->name);
  assay_put_string(ctx, "subject", ctx->subject[subject].id);
  assay_put_number(ctx, "process", (double)ctx->plan.process);
  assay_put_number(ctx, "block", block);
  assay_put_number(ctx, "leg", leg);
  assay_put_string(ctx, "unit", "ns");
  assay_puts(ctx, ",\"values\":[");
  for (i = 0; i < count; i++) {
    if (i) assay_puts(ctx, ",");
    assay_put_value(ctx, values[i]);
  }
  assay_puts(ctx, "]");
  assay_put_number(ctx, "launches", (double)launches);
  assay_put_string(ctx, "timer", ctx->timer);
  assay_put_number(ctx, "tick", tick);
  assay_put_string(ctx, "cache", ctx->plan.cache);
  if (clock_mhz > 0) assay_put_number(ctx, "clock_mhz", clock_mhz);
  assay_end_answer(ctx);
}

/* ---- results that are remembered ------------------------------------------------------- */

/* Pairs of the fresh-input probe: calm ones after which it ends, and at most so many, at first and when asked again. */
#define ASSAY_PAIRS_CALM 8
#define ASSAY_PAIRS 40
#define ASSAY_PAIRS_AGAIN 200
/* Pairs in a row, none of which may speak for a subject that is accused. */
#define ASSAY_PAIRS_AGREE 7
/* Times of a launch in a leg that one on new contents may take before pairs are asked. */
#ifndef ASSAY_PROBE_SCREEN
#define ASSAY_PROBE_SCREEN 1.5
#endif
/* Times of a repeated launch that one on new contents may take: work that is left out shows by more than that. */
#define ASSAY_PROBE_LIMIT 3.0

/* The least a launch costs on contents never seen and on those of the launch before it, in ns. */
typedef struct {
  double fresh_ns, repeated_ns;
  int pairs, agree; /* pairs so far, and the most in a row that accuse */
  int suspicious;   /* the best of both sides accuses */
} assay_probe;

/* Processor time in ns of this process and of the children that it has waited for. */
static double assay_spent_ns(void) {
  struct rusage r;
  double ns = 0;
  if (!getrusage(RUSAGE_CHILDREN, &r))
    ns = ((double)r.ru_utime.tv_sec + (double)r.ru_stime.tv_sec) * 1e9 +
         ((double)r.ru_utime.tv_usec + (double)r.ru_stime.tv_usec) * 1e3;
  return ns + assay_raw_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/* Puts contents in place that were never seen before (or, without `fresh`, the other ones), and poisons the output. */
static void assay_renew(assay_case *c, int set, int version, uint64_t *salt) {
  c->fill(c->user, set, version);
  if (c->fresh) c->fresh(c->user, set, assay_random(salt));
  c->poison(c->user, set);
}

/* `launches` launches from `*next_set` on as one batch; the answer is what they cost in all, in ns. */
static double assay_probe_batch(assay_ctx *ctx, assay_case *c, int subject, long launches, long *next_set, int sets) {
  double other = assay_other_threads_ns(), spent = assay_spent_ns();
  double ns = assay_time_batch(ctx, c, subject, launches, next_set, sets);
  spent = assay_spent_ns() - spent;
  return assay_work_ns(ctx, c, ns, spent, assay_other_threads_ns() - other);
}

/* What a window costs without a launch, and what cold memory may add to the shortest ones, as ns of one launch. */
static double assay_probe_slack(assay_ctx *ctx, assay_case *c, int subject, int sets) {
  double least = HUGE_VAL;
  long next = 0;
  int i;
  if (ctx->device || c->start) return 5000.0 / sets;
  for (i = 0; i < 5; i++) {
    double ns = assay_probe_batch(ctx, c, subject, 0, &next, sets);
    if (ns < least) least = ns;
  }
  return 1250.0 + 2 * least;
}

/* Compares what a probed set holds with the oracle. */
static void assay_probe_verify(assay_case *c, int set, int version, assay_error *e) {
  assay_error one;
  memset(&one, 0, sizeof one);
  if (c->intact && !c->intact(c->user, set, version)) assay_error_fail(&one, "a timed launch changed its inputs");
  c->verify(c->user, set, version, &one);
  assay_error_worst(e, &one);
}

/*
 * What a launch costs on contents never seen before, at best: each set is launched once on other contents first, so that
 * its memory, the code and the tables of the processor are as warm as when launches repeat; what differs is the contents.
 * On a device the sets share one window, which costs too much for a single launch.
 */
static double assay_probe_new(assay_ctx *ctx, assay_case *c, int subject, int sets, int version, uint64_t *salt,
                              assay_error *e) {
  int group = ctx->device || c->start ? sets : 1, first, i;
  double best = HUGE_VAL;
  for (first = 0; first < sets; first += group) {
    long warm = first, next = first;
    double ns;
    for (i = first; i < first + group; i++) assay_renew(c, i, !version, salt);
    assay_time_batch(ctx, c, subject, group, &warm, sets);
    for (i = first; i < first + group; i++) assay_renew(c, i, version, salt);
    ns = assay_probe_batch(ctx, c, subject, group, &next, sets) / group;
    if (ns < best) best = ns;
    for (i = first; i < first + group; i++) assay_probe_verify(c, i, version, e);
  }
  return best;
}

/* What a launch costs that repeats the one before it, as in the batches of a leg. */
static double assay_probe_repeated(assay_ctx *ctx, assay_case *c, int subject, long repeats, int version, uint64_t *salt,
                                   assay_error *e) {
  long warm = 0, next = 0;
  double ns;
  int i;
  for (i = 0; i < c->sets; i++) assay_renew(c, i, version, salt);
  assay_time_batch(ctx, c, subject, c->sets, &warm, c->sets);
  ns = assay_probe_batch(ctx, c, subject, repeats, &next, c->sets) / (double)repeats;
  for (i = 0; i < c->sets; i++) assay_probe_verify(c, i, version, e);
  return ns;
}

/*
 * The two sides in turn, so that whatever else the machine does meets both. Others only ever add, so the best of each
 * side says most: a subject is cleared when these do not accuse it. It is accused when they do and, in enough pairs in a
 * row, the fastest launch on new contents was slower than the slowest repeated one: code that remembers leaves work
 * out in every repeated launch. Ends when neither side has become faster for a while, and it is accused or cleared.
 */
static void assay_probe_pairs(assay_ctx *ctx, assay_case *c, int subject, long launches, int most, uint64_t *salt,
                              assay_error *e, assay_probe *p) {
  int sets = c->spare > 0 ? c->sets + c->spare : 1, calm = 0, row = 0;
  long repeats = launches < c->sets ? c->sets : launches;
  double slack_ns = assay_probe_slack(ctx, c, subject, sets), fastest = HUGE_VAL, slowest = 0;
  p->fresh_ns = p->repeated_ns = HUGE_VAL;
  p->agree = 0;
  for (p->pairs = 0; p->pairs < most;) {
    double fresh = assay_probe_new(ctx, c, subject, sets, p->pairs & 1, salt, e);
    double repeated = assay_probe_repeated(ctx, c, subject, repeats, p->pairs & 1, salt, e);
    p->pairs++;
    calm = fresh < 0.98 * p->fresh_ns || repeated < 0.98 * p->repeated_ns ? 0 : calm + 1;
    if (fresh < p->fresh_ns) p->fresh_ns = fresh;
    if (repeated < p->repeated_ns) p->repeated_ns = repeated;
    fastest = fresh < fastest ? fresh : fastest;
    slowest = repeated > slowest ? repeated : slowest;
    if (fastest > slowest) row++;
    else { /* the row ends; the next one may begin with this pair */
      row = fresh > repeated;
      fastest = row ? fresh : HUGE_VAL;
      slowest = row ? repeated : 0;
    }
    if (row > p->agree) p->agree = row;
    p->suspicious = p->fresh_ns > ASSAY_PROBE_LIMIT * p->repeated_ns + slack_ns;
    if (calm >= ASSAY_PAIRS_CALM && (!p->suspicious || p->agree >= ASSAY_PAIRS_AGREE)) break;
  }
}

/*
 * Launches on contents never seen before, one on each set of buffers. Code that answers repeated launches from a
 * memory of earlier ones is fast in a batch and slow here; the batch time then says nothing about it. Without
 * `fresh` there are only two contents, and code that remembers both gets away with it. Where these launches look
 * slow beside the batches, which may be due to a machine that got busy since, pairs decide.
 */
static void assay_probe_fresh(assay_ctx *ctx, assay_case *c, int subject, double per_launch, long launches,
                              uint64_t *salt, assay_error *e, assay_probe *p) {
  int sets = c->spare > 0 ? c->sets + c->spare : 1, i;
  double best = HUGE_VAL, slack_ns = 5000.0 / sets;
  long next_set = 0;
  for (i = 0; i < 6; i++) {
    double ns = assay_checked_batch(ctx, c, subject, sets, i & 1, &next_set, sets, salt, e) / sets;
    if (ns < best) best = ns;
  }
  if (launches < 2 || !strcmp(ctx->plan.cache, "cold") || best < ASSAY_PROBE_SCREEN * (per_launch + slack_ns))
    return;
  assay_probe_pairs(ctx, c, subject, launches, ASSAY_PAIRS, salt, e, p);
}

/* Says what the probe has found of a subject that looks suspicious, to the record and to people. */
static void assay_probe_answer(assay_ctx *ctx, const assay_workload *w, int subject, const assay_probe *p) {
  char text[512];
  int accused = p->agree >= ASSAY_PAIRS_AGREE;
  snprintf(text, sizeof text, "a launch on changed inputs takes %.4g us, a repeated one %.4g us (the best of %d pairs in "
           "turn; %d in a row agree)", p->fresh_ns / 1e3, p->repeated_ns / 1e3, p->pairs, p->agree);
  fprintf(stderr, "assay harness: %s on %s: %s%s\n", ctx->subject[subject].id, w->name, text,
          accused ? "" : ": not settled, the machine is busy");
  if (accused) {
    char detail[600];
    snprintf(detail, sizeof detail, "repeated launches seem to reuse earlier results: %s", text);
    assay_begin_answer(ctx, "suspect");
    assay_put_string(ctx, "workload", w->name);
    assay_put_string(ctx, "subject", ctx->subject[subject].id);
    assay_put_string(ctx, "detail", detail);
    assay_end_answer(ctx);
  } else {
    char note[900];
    snprintf(note, sizeof note, "whether launches of %.120s on %.120s reuse earlier results could not be settled, because "
             "the machine is busy: %s", ctx->subject[subject].id, w->name, text);
    assay_note(ctx, note);
  }
}

/*
 * Measures one workload: warm-up by time, then the legs in the plan's order, then the fresh-input probe.
 * A wrong output of a timed launch, or a changed input, ends the process with exit code 3; launches that seem to be
 * answered from memory end it with exit code 4 and a `suspect` answer that says of whom.
 */
static inline void assay_measure(assay_ctx *ctx, const assay_workload *w, assay_case *c) {
  const assay_plan *p = &ctx->plan;
  double per_launch[ASSAY_MAX_SUBJECTS], fastest[ASSAY_MAX_SUBJECTS], values[ASSAY_MAX_BATCHES];
  long launches[ASSAY_MAX_SUBJECTS], next_set = 0;
  int batches[ASSAY_MAX_SUBJECTS], s, block, leg, i, wrong = 0, suspects = 0, cold = !strcmp(p->cache, "cold");
  size_t mark = ctx->pending_len;
  uint64_t choice = assay_seed(ctx, w->name, 0x56455253);
  assay_error error[ASSAY_MAX_SUBJECTS];
  assay_probe probe[ASSAY_MAX_SUBJECTS];

  if (strcmp(p->mode, "pair") && strcmp(p->mode, "invocation"))
    assay_die(ASSAY_EXIT_RUNTIME, "mode `%s` is not offered by the C helper; set mode = \"pair\" in assay.toml",
              p->mode);
  if (cold && !c->flush)
    assay_die(ASSAY_EXIT_RUNTIME, "cache = \"cold\" needs a flush in the harness; it has none");
  if (!strcmp(p->cache, "rotating") && c->sets < 3)
    assay_die(ASSAY_EXIT_RUNTIME, "cache = \"rotating\" needs at least 3 buffer sets; the harness has %d", c->sets);
  if (!c->start != !c->stop) assay_die(ASSAY_EXIT_RUNTIME, "a clock of the device needs both `start` and `stop`");
  assay_now_workload = w->name;
  memset(error, 0, sizeof error);
  memset(probe, 0, sizeof probe);

  for (i = 0; i < c->sets + c->spare; i++) c->fill(c->user, i, 0);
  for (s = 0; s < ctx->subject_count; s++) {
    double spent = 0, last = 0, goal = p->warmup_ns > 0 ? p->warmup_ns : 1;
    long n = 1;
    int rounds = 0;
    assay_now_running = ctx->subject[s].id;
    per_launch[s] = HUGE_VAL;
    /* The shortest time counts: one interruption must not make all legs of this subject too short. */
    while (spent < goal || (rounds < 4 && spent < 4 * goal)) {
      last = assay_time_batch(ctx, c, s, n, &next_set, c->sets);
      spent += last;
      rounds++;
      if (last / (double)n < per_launch[s]) per_launch[s] = last / (double)n;
      if (last < goal / 16) n *= 2;
    }
    if (per_launch[s] < 1) per_launch[s] = 1;
    batches[s] = (int)ceil(p->min_leg_ns / per_launch[s]);
    if (batches[s] < 1) batches[s] = 1;
    if (batches[s] > ASSAY_BATCHES) batches[s] = ASSAY_BATCHES;
    launches[s] = (long)ceil(p->min_leg_ns / (per_launch[s] * batches[s]));
    if (launches[s] < 1) launches[s] = 1;
    if (cold && launches[s] > 8) launches[s] = 8; /* flushes dominate; the values show the spread */
    fastest[s] = HUGE_VAL;
  }

  for (block = 0; block < p->blocks; block++) {
    const char *order = p->order_count ? p->order[block % p->order_count] : ctx->subject_count > 1 ? "ABBA" : "A";
    for (leg = 0; order[leg]; leg++) {
      double total = 0;
      int count = 0;
      s = order[leg] - 'A';
      if (s < 0 || s >= ctx->subject_count)
        assay_die(ASSAY_EXIT_RUNTIME, "the plan's order `%s` names a subject that was not given", order);
      assay_now_running = ctx->subject[s].id;
      while (count < batches[s] || (!cold && total < p->min_leg_ns && count < ASSAY_MAX_BATCHES)) {
        int version = (int)(assay_random(&choice) & 1);
        double ns = assay_checked_batch(ctx, c, s, launches[s], version, &next_set, c->sets, &choice, &error[s]);
        values[count] = ns / (double)launches[s];
        if (values[count] < fastest[s]) fastest[s] = values[count];
        count++;
        total += ns;
      }
      assay_guard_state(ctx, s, 0);
      if (!(total > 0)) assay_guard_code(ctx);
      if (!(total > 0)) assay_die(ASSAY_EXIT_RUNTIME, "the clock did not advance over a leg of %s", w->name);
      assay_samples(ctx, w, s, p->first_block + block, p->first_leg + leg, values, count, launches[s] * count,
                    c->start && !cold ? (double)ctx->tick_ns / (double)launches[s] : (double)ctx->tick_ns,
                    c->clock_mhz ? c->clock_mhz(c->user) : 0);
    }
    if (c->block_done) c->block_done(c->user, ctx, w, p->first_block + block);
  }

  for (s = 0; s < ctx->subject_count; s++) {
    assay_now_running = ctx->subject[s].id;
    if (isfinite(fastest[s])) assay_probe_fresh(ctx, c, s, fastest[s], launches[s], &choice, &error[s], &probe[s]);
  }
  /* Whoever looks suspicious is asked again when all others were, on what may be a quieter machine by then. */
  for (s = 0; s < ctx->subject_count; s++) {
    assay_now_running = ctx->subject[s].id;
    if (probe[s].suspicious) assay_probe_pairs(ctx, c, s, launches[s], ASSAY_PAIRS_AGAIN, &choice, &error[s], &probe[s]);
    assay_guard_state(ctx, s, 1);
    wrong |= !assay_error_ok(&error[s], c->tolerance);
    suspects |= probe[s].suspicious && probe[s].agree >= ASSAY_PAIRS_AGREE;
  }
  assay_now_running = "the harness";
  assay_guard_windows(ctx);
  assay_guard_code(ctx);
  if (wrong) {
    ctx->pending_len = mark;
    for (s = 0; s < ctx->subject_count; s++)
      if (!assay_error_ok(&error[s], c->tolerance)) assay_check_answer(ctx, w, s, &error[s], c->tolerance);
    assay_flush_answers(ctx);
    assay_die(ASSAY_EXIT_WRONG, "a timed launch gave a wrong result on %s; no latency is reported for it", w->name);
  }
  if (suspects) ctx->pending_len = mark;
  for (s = 0; s < ctx->subject_count; s++)
    if (probe[s].suspicious) assay_probe_answer(ctx, w, s, &probe[s]);
  if (suspects) {
    assay_flush_answers(ctx);
    assay_die(ASSAY_EXIT_TAMPERED, "results seem to be remembered on %s; no latency is reported for it", w->name);
  }
  assay_flush_answers(ctx);
}

#endif /* ASSAY_MEASURE_H */

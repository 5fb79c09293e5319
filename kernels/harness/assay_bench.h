/*
 * assay_bench.h: harness for C99 and C++ evaluators of Assay, with assay_guard.h beside it.
 *
 * Include it before any other header, in one translation unit, and link with -ldl.
 * The protocol is described in README.md beside this file. In short:
 *
 *     assay_ctx *ctx = assay_open();                    reads the plan, hides the answer channel
 *     assay_load(ctx, i, "gemm");                       loads one subject, after assay_open
 *     assay_check_answer(ctx, w, i, &error, tolerance); one answer of the check stage
 *     assay_measure(ctx, w, &measured_case);            all legs of one workload
 *     return assay_close(ctx);                          writes `done`, gives the exit code
 *
 * The helper owns what is easy to get wrong: leg order, minimum leg length, poisoned outputs,
 * changing input contents between batches, verification of outputs of timed launches, input
 * integrity, and JSON that never contains a non-finite number. It never changes the timer
 * silently: the name of the clock is part of every answer. It also looks at what code under test
 * leaves behind in the process (assay_guard.h), always outside the timed window.
 */
#ifndef ASSAY_BENCH_H
#define ASSAY_BENCH_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* dladdr, dl_iterate_phdr, CLOCK_MONOTONIC_RAW */
#endif

#include <dlfcn.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <link.h>
#endif

#include "assay_guard.h"

/* Exit codes of the protocol; any other non-zero code means a runtime failure. */
enum { ASSAY_EXIT_OK = 0, ASSAY_EXIT_RUNTIME = 1, ASSAY_EXIT_LAUNCH = 2, ASSAY_EXIT_WRONG = 3, ASSAY_EXIT_TAMPERED = 4 };

/* Bounds of what is accepted. A plan beyond them is refused with a message, never cut short. */
enum {
  ASSAY_MAX_TEXT = 1 << 20,
  ASSAY_MAX_DEPTH = 16,
  ASSAY_MAX_SUBJECTS = 8,
  ASSAY_MAX_WORKLOADS = 256,
  ASSAY_MAX_DIMS = 16,
  ASSAY_MAX_BLOCKS = 256,
  ASSAY_MAX_LEGS = 16,
  ASSAY_MAX_BATCHES = 16,
  ASSAY_BATCHES = 4 /* timed batches a leg aims at */
};

typedef struct {
  char id[128], role[16];
  char folder[4096], artefact[4096], source[4096];
  void *handle; /* from dlopen */
  void *entry;  /* the symbol asked for by assay_load */
  double load_cpu_ns; /* processor time that loading took: constructors work outside every timed window */
  int clock_seen, clock_odd;            /* batches timed, and those that the system's clock does not confirm */
  double gap_ns, gap_other_ns;          /* between its batches: time, and processor time of other threads in it */
} assay_subject;

typedef struct {
  char name[128], dtype[32];
  int dim_count;
  char dim_name[ASSAY_MAX_DIMS][32];
  long long dim[ASSAY_MAX_DIMS];
  double flops, bytes;
} assay_workload;

typedef struct {
  char stage[16], mode[16], load_order[ASSAY_MAX_SUBJECTS + 1], cache[16];
  int workload_count, blocks, order_count, first_block, first_leg;
  assay_workload *workload;
  char order[ASSAY_MAX_BLOCKS][ASSAY_MAX_LEGS + 1];
  uint64_t seed;
  double min_leg_ns, warmup_ns;
  long long process;
} assay_plan;

/* What a comparison with the oracle found; `max_rel` is relative to the scale the caller chose. */
typedef struct {
  double max_abs, max_rel;
  long long bad, nonfinite, unwritten;
  int failed; /* set for faults that no number shows, e.g. a changed input */
  char detail[256];
} assay_error;

typedef struct {
  assay_plan plan;
  int subject_count;
  assay_subject subject[ASSAY_MAX_SUBJECTS];
  int fd; /* -1: no channel (profile by hand) */
  /* Set it to 1 where a device runtime lives in this process: its threads, files and mappings are then not held
   * against the subject. */
  int device;
  char nonce[129]; /* masked, so that no search of this memory for digits finds it */
  uint64_t mask;
  size_t nonce_len;
  assay_state state; /* of the process before any code under test was loaded */
  assay_image image; /* of its code after all was loaded */
  int last_subject;  /* whose batch was timed last; -1 before the first */
  double last_wall_ns, last_other_ns;
  clockid_t clock;
  const char *timer;
  long tick_ns;
  int wrong;
  char *pending; /* answers kept back, so that no write happens between two legs */
  size_t pending_len, pending_cap;
} assay_ctx;

/*
 * The workload as the measuring loop sees it. A set is one group of input and output buffers;
 * a version is one of two input contents, each with its reference output, prepared by the caller
 * outside the loop. Optional callbacks may be NULL.
 */
typedef struct {
  void *user;
  int sets;                                               /* at least 1; rotating mode wants 3 or more */
  void (*launch)(void *user, int subject, int set);       /* one launch: the only timed code */
  void (*finish)(void *user);                             /* optional: wait for all work; timed, once a batch */
  void (*fill)(void *user, int set, int version);         /* put input contents in place */
  void (*poison)(void *user, int set);                    /* overwrite the output with ASSAY_POISON */
  int (*intact)(void *user, int set, int version);        /* inputs still hold this version? */
  void (*verify)(void *user, int set, int version, assay_error *error);
  void (*flush)(void *user);                              /* cold mode: evict the caches */
  double tolerance;                                       /* on max_rel of `verify` */
  /* Optional, where a device has a clock of its own; name it in ctx->timer and ctx->tick_ns: */
  void (*start)(void *user);                              /* starts the window, in place of the host's clock */
  double (*stop)(void *user);                             /* waits for all work and gives the window in ns */
  double (*clock_mhz)(void *user);                        /* clock of the device right after a leg; 0 when not known */
  void (*block_done)(void *user, assay_ctx *ctx, const assay_workload *w, int block); /* after a block: its conditions */
  /* Optional, against results that are remembered: */
  int spare;                                              /* sets after `sets` that only the fresh-input probe uses */
  void (*fresh)(void *user, int set, uint64_t salt);      /* after `fill`: change it into contents never seen before;
                                                             `intact` and `verify` of this set go by the change */
  long long (*unwritten)(void *user, int set);            /* output elements that still hold the poison; called at once
                                                             after a launch, so that late work shows */
} assay_case;

#define ASSAY_POISON 0x7fc0deadu /* a quiet NaN with a payload of ours */

/* Processor time of other threads between the batches of a workload that is put up with: a sleeping pool of threads
 * stays below a twentieth of both, and a busy thread on a crowded machine far above. */
#define ASSAY_LATE_WORK_NS 2e5
#define ASSAY_LATE_WORK_SHARE 0.05

/* ---- failures ------------------------------------------------------------------------- */

static const char *assay_now_running = "the harness";
static const char *assay_now_workload = "no workload";

static void assay_die(int code, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3), noreturn))
#endif
    ;
static void assay_die(int code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fputs("assay harness: ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  fflush(stderr);
  _exit(code);
}

static void assay_write_text(const char *text) {
  ssize_t ignored = write(2, text, strlen(text));
  (void)ignored;
}

/* Says whose code crashed, then lets the signal do its work, so that the runner sees it. */
static void assay_on_crash(int number) {
  assay_write_text("assay harness: crash (");
  assay_write_text(number == SIGSEGV ? "invalid memory access" : number == SIGBUS ? "bus error"
                   : number == SIGILL ? "illegal instruction" : "arithmetic fault");
  assay_write_text(") while running ");
  assay_write_text(assay_now_running);
  assay_write_text(" on ");
  assay_write_text(assay_now_workload);
  assay_write_text("\n");
  signal(number, SIG_DFL);
  raise(number);
}

static void *assay_alloc(size_t bytes) {
  void *p = calloc(1, bytes ? bytes : 1);
  if (!p) assay_die(ASSAY_EXIT_RUNTIME, "out of memory (%zu bytes)", bytes);
  return p;
}

/* ---- a bounded JSON reader ------------------------------------------------------------ */

typedef struct {
  const char *start, *at, *what;
} assay_json;

static void assay_json_fail(const assay_json *j, const char *why) {
  assay_die(ASSAY_EXIT_RUNTIME, "%s: %s at byte %ld; was this started by assay?", j->what, why,
            (long)(j->at - j->start));
}

static char assay_json_peek(assay_json *j) {
  while (*j->at == ' ' || *j->at == '\n' || *j->at == '\t' || *j->at == '\r') j->at++;
  return *j->at;
}

static void assay_json_expect(assay_json *j, char c) {
  if (assay_json_peek(j) != c) assay_json_fail(j, "malformed JSON");
  j->at++;
}

static unsigned assay_json_hex4(assay_json *j) {
  unsigned value = 0;
  int i;
  for (i = 0; i < 4; i++) {
    char c = *j->at;
    unsigned digit;
    if (c >= '0' && c <= '9') digit = (unsigned)(c - '0');
    else if (c >= 'a' && c <= 'f') digit = (unsigned)(c - 'a') + 10;
    else if (c >= 'A' && c <= 'F') digit = (unsigned)(c - 'A') + 10;
    else { assay_json_fail(j, "malformed \\u escape"); return 0; }
    value = value * 16 + digit;
    j->at++;
  }
  return value;
}

/* Reads a string into `out` as UTF-8; refuses one that does not fit. `out` may be NULL to skip. */
static void assay_json_string(assay_json *j, char *out, size_t room) {
  size_t n = 0;
  assay_json_expect(j, '"');
  while (*j->at != '"') {
    char utf8[4];
    int k, count = 1;
    unsigned char c = (unsigned char)*j->at;
    if (c < 0x20) assay_json_fail(j, "unterminated string");
    j->at++;
    utf8[0] = (char)c;
    if (c == '\\') {
      char e = *j->at++;
      switch (e) {
        case '"': case '\\': case '/': utf8[0] = e; break;
        case 'b': utf8[0] = '\b'; break;
        case 'f': utf8[0] = '\f'; break;
        case 'n': utf8[0] = '\n'; break;
        case 'r': utf8[0] = '\r'; break;
        case 't': utf8[0] = '\t'; break;
        case 'u': {
          unsigned u = assay_json_hex4(j);
          if (u >= 0xd800 && u < 0xdc00 && j->at[0] == '\\' && j->at[1] == 'u') {
            unsigned low;
            j->at += 2;
            low = assay_json_hex4(j);
            if (low < 0xdc00 || low > 0xdfff) assay_json_fail(j, "malformed surrogate pair");
            u = 0x10000 + ((u - 0xd800) << 10) + (low - 0xdc00);
          }
          if (u == 0 || (u >= 0xd800 && u < 0xe000)) assay_json_fail(j, "unusable \\u escape");
          if (u < 0x80) { utf8[0] = (char)u; }
          else if (u < 0x800) { utf8[0] = (char)(0xc0 | (u >> 6)); utf8[1] = (char)(0x80 | (u & 63)); count = 2; }
          else if (u < 0x10000) {
            utf8[0] = (char)(0xe0 | (u >> 12)); utf8[1] = (char)(0x80 | ((u >> 6) & 63));
            utf8[2] = (char)(0x80 | (u & 63)); count = 3;
          } else {
            utf8[0] = (char)(0xf0 | (u >> 18)); utf8[1] = (char)(0x80 | ((u >> 12) & 63));
            utf8[2] = (char)(0x80 | ((u >> 6) & 63)); utf8[3] = (char)(0x80 | (u & 63)); count = 4;
          }
          break;
        }
        default: assay_json_fail(j, "unknown escape");
      }
    }
    for (k = 0; k < count && out; k++) {
      if (n + 1 >= room) assay_json_fail(j, "text too long");
      out[n++] = utf8[k];
    }
  }
  j->at++;
  if (out) out[n] = 0;
}

static double assay_json_number(assay_json *j) {
  char *end;
  double v;
  char c = assay_json_peek(j);
  if (c != '-' && (c < '0' || c > '9')) assay_json_fail(j, "a number is expected");
  v = strtod(j->at, &end);
  if (!isfinite(v)) assay_json_fail(j, "number out of range");
  j->at = end;
  return v;
}

/* A whole number, read exactly: a seed uses all 64 bits and would not survive a double. */
static uint64_t assay_json_u64(assay_json *j) {
  char *end;
  uint64_t v;
  char c = assay_json_peek(j);
  if (c < '0' || c > '9') assay_json_fail(j, "a whole number of at least 0 is expected");
  errno = 0;
  v = strtoull(j->at, &end, 10);
  if (errno || *end == '.' || *end == 'e' || *end == 'E') assay_json_fail(j, "a whole number is expected");
  j->at = end;
  return v;
}

static void assay_json_skip(assay_json *j, int depth) {
  char c = assay_json_peek(j);
  if (depth > ASSAY_MAX_DEPTH) assay_json_fail(j, "nested too deeply");
  if (c == '"') assay_json_string(j, NULL, 0);
  else if (c == '{' || c == '[') {
    char close = c == '{' ? '}' : ']';
    j->at++;
    if (assay_json_peek(j) == close) { j->at++; return; }
    for (;;) {
      if (c == '{') { assay_json_string(j, NULL, 0); assay_json_expect(j, ':'); }
      assay_json_skip(j, depth + 1);
      if (assay_json_peek(j) == close) { j->at++; return; }
      assay_json_expect(j, ',');
    }
  } else if (!strncmp(j->at, "true", 4) || !strncmp(j->at, "null", 4)) j->at += 4;
  else if (!strncmp(j->at, "false", 5)) j->at += 5;
  else (void)assay_json_number(j);
}

/* Steps through an object or array: `first` starts at 1. Returns 0 at the closing bracket. */
static int assay_json_next(assay_json *j, char open, int *first, char *key, size_t room) {
  char close = open == '{' ? '}' : ']';
  if (*first) assay_json_expect(j, open);
  if (assay_json_peek(j) == close) { j->at++; return 0; }
  if (!*first) assay_json_expect(j, ',');
  *first = 0;
  if (open == '{') { (void)assay_json_peek(j); assay_json_string(j, key, room); assay_json_expect(j, ':'); }
  return 1;
}

static void assay_read_subjects(assay_ctx *ctx, const char *text) {
  assay_json j;
  char key[64];
  int first = 1;
  j.start = j.at = text;
  j.what = "ASSAY_SUBJECTS";
  while (assay_json_next(&j, '[', &first, NULL, 0)) {
    assay_subject *s = &ctx->subject[ctx->subject_count];
    int inner = 1;
    if (ctx->subject_count == ASSAY_MAX_SUBJECTS) assay_json_fail(&j, "too many subjects");
    while (assay_json_next(&j, '{', &inner, key, sizeof key)) {
      if (!strcmp(key, "id")) assay_json_string(&j, s->id, sizeof s->id);
      else if (!strcmp(key, "role")) assay_json_string(&j, s->role, sizeof s->role);
      else if (!strcmp(key, "folder")) assay_json_string(&j, s->folder, sizeof s->folder);
      else if (!strcmp(key, "artefact")) assay_json_string(&j, s->artefact, sizeof s->artefact);
      else if (!strcmp(key, "source")) assay_json_string(&j, s->source, sizeof s->source);
      else assay_json_skip(&j, 0);
    }
    if (!s->id[0]) assay_json_fail(&j, "a subject without id");
    ctx->subject_count++;
  }
  if (!ctx->subject_count) assay_json_fail(&j, "no subject");
}

static void assay_read_workload(assay_json *j, assay_workload *w) {
  char key[64];
  int first = 1;
  while (assay_json_next(j, '{', &first, key, sizeof key)) {
    if (!strcmp(key, "name")) assay_json_string(j, w->name, sizeof w->name);
    else if (!strcmp(key, "dtype")) assay_json_string(j, w->dtype, sizeof w->dtype);
    else if (!strcmp(key, "flops") && assay_json_peek(j) != 'n') w->flops = assay_json_number(j);
    else if (!strcmp(key, "bytes") && assay_json_peek(j) != 'n') w->bytes = assay_json_number(j);
    else if (!strcmp(key, "dims")) {
      int inner = 1;
      char name[32];
      while (assay_json_next(j, '{', &inner, name, sizeof name)) {
        if (w->dim_count == ASSAY_MAX_DIMS) assay_json_fail(j, "too many dims");
        strcpy(w->dim_name[w->dim_count], name);
        w->dim[w->dim_count++] = (long long)assay_json_number(j);
      }
    } else assay_json_skip(j, 0);
  }
  if (!w->name[0]) assay_json_fail(j, "a workload without name");
}

static void assay_read_plan(assay_ctx *ctx, const char *text) {
  assay_plan *p = &ctx->plan;
  assay_json j;
  char key[64];
  int first = 1;
  j.start = j.at = text;
  j.what = "ASSAY_PLAN";
  strcpy(p->mode, "pair");
  strcpy(p->cache, "hot");
  p->blocks = 1;
  p->min_leg_ns = 1e7;
  p->warmup_ns = 5e7;
  p->workload = (assay_workload *)assay_alloc(sizeof(assay_workload) * ASSAY_MAX_WORKLOADS);
  while (assay_json_next(&j, '{', &first, key, sizeof key)) {
    int inner = 1;
    if (assay_json_peek(&j) == 'n') assay_json_skip(&j, 0); /* null: as if absent */
    else if (!strcmp(key, "assay")) {
      if (assay_json_u64(&j) != 1) assay_json_fail(&j, "this harness speaks protocol 1 only");
    }
    else if (!strcmp(key, "stage")) assay_json_string(&j, p->stage, sizeof p->stage);
    else if (!strcmp(key, "mode")) assay_json_string(&j, p->mode, sizeof p->mode);
    else if (!strcmp(key, "cache")) assay_json_string(&j, p->cache, sizeof p->cache);
    else if (!strcmp(key, "load_order")) assay_json_string(&j, p->load_order, sizeof p->load_order);
    else if (!strcmp(key, "seed")) p->seed = assay_json_u64(&j);
    else if (!strcmp(key, "process")) p->process = (long long)assay_json_u64(&j);
    else if (!strcmp(key, "block")) p->first_block = (int)assay_json_u64(&j);
    else if (!strcmp(key, "leg")) p->first_leg = (int)assay_json_u64(&j);
    else if (!strcmp(key, "min_leg_ns")) p->min_leg_ns = assay_json_number(&j);
    else if (!strcmp(key, "warmup_ns")) p->warmup_ns = assay_json_number(&j);
    else if (!strcmp(key, "blocks")) {
      uint64_t blocks = assay_json_u64(&j);
      if (blocks > ASSAY_MAX_BLOCKS) assay_json_fail(&j, "too many blocks");
      p->blocks = (int)blocks;
    }
    else if (!strcmp(key, "order")) {
      while (assay_json_next(&j, '[', &inner, NULL, 0)) {
        if (p->order_count == ASSAY_MAX_BLOCKS) assay_json_fail(&j, "too many blocks in the order");
        assay_json_string(&j, p->order[p->order_count++], sizeof p->order[0]);
      }
    }
    else if (!strcmp(key, "workloads")) {
      while (assay_json_next(&j, '[', &inner, NULL, 0)) {
        if (p->workload_count == ASSAY_MAX_WORKLOADS) assay_json_fail(&j, "too many workloads");
        assay_read_workload(&j, &p->workload[p->workload_count++]);
      }
    }
    else assay_json_skip(&j, 0);
  }
  if (!p->workload_count) assay_json_fail(&j, "no workload");
}

/* ---- answers -------------------------------------------------------------------------- */

#define ASSAY_LINE_START "{\"assay\":1"

/* Masks or unmasks the nonce. */
static void assay_mask(const assay_ctx *ctx, char *nonce, size_t n) {
  uint64_t state = ctx->mask;
  size_t i;
  for (i = 0; i < n; i++) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    nonce[i] = (char)(nonce[i] ^ (char)(state >> 56));
  }
}

static void assay_send(const assay_ctx *ctx, const char *text, size_t n) {
  size_t sent = 0;
  while (sent < n) {
    ssize_t wrote = write(ctx->fd, text + sent, n - sent);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) assay_die(ASSAY_EXIT_RUNTIME, "cannot write an answer: %s", strerror(errno));
    sent += (size_t)wrote;
  }
}

/*
 * Sends what was kept back. Called between workloads and at the end, never between two legs. Only here do the lines
 * get their nonce, in memory that is wiped before code under test runs again.
 */
static void assay_flush_answers(assay_ctx *ctx) {
  size_t start = strlen(ASSAY_LINE_START), digits = ctx->nonce_len, used = 0, at = 0, room;
  char head[sizeof ctx->nonce + 32], *text;
  if (ctx->fd < 0 || !ctx->pending_len) { ctx->pending_len = 0; return; }
  memcpy(head, ",\"nonce\":\"", 10);
  memcpy(head + 10, ctx->nonce, digits);
  assay_mask(ctx, head + 10, digits);
  head[10 + digits] = '"';
  digits += 11;
  for (room = ctx->pending_len, at = 0; at < ctx->pending_len; at++) room += ctx->pending[at] == '\n' ? digits : 0;
  text = (char *)assay_alloc(room);
  for (at = 0; at < ctx->pending_len;) {
    const char *line = ctx->pending + at, *end = (const char *)memchr(line, '\n', ctx->pending_len - at);
    size_t rest = (size_t)(end - line) + 1 - start;
    memcpy(text + used, line, start);
    memcpy(text + used + start, head, digits);
    memcpy(text + used + start + digits, line + start, rest);
    used += start + digits + rest;
    at += start + rest;
  }
  assay_send(ctx, text, used);
  memset(text, 0, used);
  memset(head, 0, sizeof head);
  /* Keeps the compiler from dropping the wiping of memory that is freed or left. */
  __asm__ volatile("" : : "r"(text), "r"(head) : "memory");
  free(text);
  ctx->pending_len = 0;
}

static void assay_put(assay_ctx *ctx, const char *text, size_t n) {
  if (ctx->pending_len + n > ctx->pending_cap) {
    ctx->pending_cap = (ctx->pending_len + n) * 2 + 4096;
    ctx->pending = (char *)realloc(ctx->pending, ctx->pending_cap);
    if (!ctx->pending) assay_die(ASSAY_EXIT_RUNTIME, "out of memory for answers");
  }
  memcpy(ctx->pending + ctx->pending_len, text, n);
  ctx->pending_len += n;
}

static void assay_puts(assay_ctx *ctx, const char *text) { assay_put(ctx, text, strlen(text)); }

static void assay_put_string(assay_ctx *ctx, const char *key, const char *text) {
  char escape[8];
  assay_puts(ctx, ",\"");
  assay_puts(ctx, key);
  assay_puts(ctx, "\":\"");
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\') { escape[0] = '\\'; escape[1] = (char)c; assay_put(ctx, escape, 2); }
    else if (c < 0x20) { snprintf(escape, sizeof escape, "\\u%04x", c); assay_put(ctx, escape, 6); }
    else assay_put(ctx, text, 1);
  }
  assay_puts(ctx, "\"");
}

/* JSON has no NaN and no infinity: such a value is written as null, and the detail text says why. */
static void assay_put_value(assay_ctx *ctx, double v) {
  char text[40], *c;
  if (!isfinite(v)) { assay_puts(ctx, "null"); return; }
  snprintf(text, sizeof text, "%.12g", v);
  for (c = text; *c; c++) if (*c == ',') *c = '.'; /* code under test may have set a locale */
  assay_puts(ctx, text);
}

static void assay_put_number(assay_ctx *ctx, const char *key, double v) {
  assay_puts(ctx, ",\"");
  assay_puts(ctx, key);
  assay_puts(ctx, "\":");
  assay_put_value(ctx, v);
}

static void assay_begin_answer(assay_ctx *ctx, const char *kind) {
  assay_puts(ctx, ASSAY_LINE_START);
  assay_put_string(ctx, "kind", kind);
}

static void assay_end_answer(assay_ctx *ctx) { assay_puts(ctx, "}\n"); }

/* A remark for the record. */
static inline void assay_note(assay_ctx *ctx, const char *text) {
  assay_begin_answer(ctx, "note");
  assay_put_string(ctx, "text", text);
  assay_end_answer(ctx);
}

/* A resource that gates can name, e.g. `code_bytes` in "B". */
static inline void assay_resource(assay_ctx *ctx, int subject, const char *name, double value, const char *unit) {
  assay_begin_answer(ctx, "resource");
  assay_put_string(ctx, "subject", ctx->subject[subject].id);
  assay_put_string(ctx, "name", name);
  assay_put_number(ctx, "value", value);
  assay_put_string(ctx, "unit", unit);
  assay_end_answer(ctx);
}

/* ---- errors and comparison ------------------------------------------------------------ */

static int assay_error_ok(const assay_error *e, double tolerance) {
  return !e->failed && !e->nonfinite && !e->unwritten && !e->bad && e->max_rel <= tolerance;
}

/* Marks a fault that has no size, keeping the first text. */
static inline void assay_error_fail(assay_error *e, const char *format, ...) {
  va_list args;
  e->failed = 1;
  if (e->detail[0]) return;
  va_start(args, format);
  vsnprintf(e->detail, sizeof e->detail, format, args);
  va_end(args);
}

/* Keeps the worse of two, so that several shapes or launches give one answer. */
static inline void assay_error_worst(assay_error *into, const assay_error *e) {
  if (e->detail[0] && !into->detail[0]) memcpy(into->detail, e->detail, sizeof into->detail);
  if (e->max_abs > into->max_abs) into->max_abs = e->max_abs;
  if (e->max_rel > into->max_rel) into->max_rel = e->max_rel;
  into->bad += e->bad;
  into->nonfinite += e->nonfinite;
  into->unwritten += e->unwritten;
  into->failed |= e->failed;
}

/*
 * Compares every element with an fp64 reference. `scale` is what an error is relative to: for a sum
 * of products, the sum of magnitudes, because cancellation makes the result itself a poor yardstick.
 * `columns` only serves the position named in the detail text.
 */
static inline void assay_compare_f32(const float *out, const double *reference, const double *scale,
                                     long long count, long long columns, double tolerance, assay_error *e) {
  long long i, first = -1;
  for (i = 0; i < count; i++) {
    double abs_error, rel_error;
    if (!isfinite(out[i])) {
      uint32_t bits;
      memcpy(&bits, &out[i], sizeof bits);
      if (bits == ASSAY_POISON) e->unwritten++;
      else e->nonfinite++;
      if (first < 0) first = i;
      continue;
    }
    abs_error = fabs((double)out[i] - reference[i]);
    rel_error = abs_error == 0 ? 0 : scale[i] > 0 ? abs_error / scale[i] : HUGE_VAL;
    if (abs_error > e->max_abs) e->max_abs = abs_error;
    if (rel_error > e->max_rel) e->max_rel = rel_error;
    if (!(rel_error <= tolerance)) {
      e->bad++;
      if (first < 0) first = i;
    }
  }
  if (first >= 0 && !e->detail[0])
    snprintf(e->detail, sizeof e->detail,
             "%lld of %lld elements wrong (%lld never written, %lld not finite); first at row %lld column %lld: "
             "expected %.9g, got %.9g",
             e->bad + e->unwritten + e->nonfinite, count, e->unwritten, e->nonfinite,
             first / (columns > 0 ? columns : 1), columns > 0 ? first % columns : first, reference[first],
             (double)out[first]);
}

/* Writes one check answer and remembers a wrong result for the exit code. */
static inline void assay_check_answer(assay_ctx *ctx, const assay_workload *w, int subject, const assay_error *e,
                                      double tolerance) {
  int ok = assay_error_ok(e, tolerance);
  int finite = !e->nonfinite && !e->unwritten;
  assay_begin_answer(ctx, "check");
  assay_put_string(ctx, "workload", w->name);
  assay_put_string(ctx, "subject", ctx->subject[subject].id);
  assay_put_number(ctx, "max_abs_error", finite ? e->max_abs : NAN);
  assay_put_number(ctx, "max_rel_error", finite ? e->max_rel : NAN);
  assay_puts(ctx, ok ? ",\"ok\":true" : ",\"ok\":false");
  assay_put_string(ctx, "detail", e->detail[0] ? e->detail : ok ? "" : "error above the tolerance");
  assay_end_answer(ctx);
  if (!ok) {
    ctx->wrong = 1;
    fprintf(stderr, "assay harness: wrong result of %s on %s: %s\n", ctx->subject[subject].id, w->name,
            e->detail[0] ? e->detail : "error above the tolerance");
  }
}

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

/* ---- inputs and buffers --------------------------------------------------------------- */

/* One step of splitmix64 (Steele, Lea and Flood 2014). */
static inline uint64_t assay_random(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

/* A stream of its own for (seed, text, number), so that no two workloads or phases share contents. */
static inline uint64_t assay_seed(const assay_ctx *ctx, const char *text, uint64_t number) {
  uint64_t state = ctx->plan.seed ^ 0x243f6a8885a308d3ULL;
  for (; *text; text++) state = (state ^ (unsigned char)*text) * 0x100000001b3ULL;
  state ^= number * 0xd1342543de82ef95ULL;
  (void)assay_random(&state);
  return state;
}

/* Uniform in (-1, 1) with 23 random bits, never zero: zeros draw less power and hide skipped work. */
static inline void assay_fill_f32(float *x, size_t n, uint64_t seed) {
  size_t i;
  for (i = 0; i < n; i++) {
    uint64_t r = assay_random(&seed);
    float v = (float)((double)((r >> 41) + 1) / 8388609.0);
    x[i] = (r & 1) ? v : -v;
  }
}

static inline void assay_poison_f32(float *x, size_t n) {
  uint32_t bits = ASSAY_POISON;
  size_t i;
  for (i = 0; i < n; i++) memcpy(&x[i], &bits, sizeof bits);
}

/* Elements that still hold the poison; from the end, because late work mostly starts at the front. */
static inline long long assay_unwritten_f32(const float *x, size_t n) {
  long long count = 0;
  while (n--) {
    uint32_t bits;
    memcpy(&bits, &x[n], sizeof bits);
    count += bits == ASSAY_POISON;
  }
  return count;
}

typedef struct {
  void *data;
  size_t bytes;
  unsigned char *map;
  size_t mapped;
} assay_buffer;

#define ASSAY_CANARY 64 /* bytes before the data that must stay as they were */

/*
 * A buffer between canary bytes and guard pages. With `guard`, the data ends exactly at an unreadable
 * page, so that any access past the end faults, and only the alignment of one element is given. Without,
 * the data starts at a cache line chosen by `seed`, so that processes sample different layouts.
 */
static inline assay_buffer assay_buffer_new(size_t bytes, int guard, uint64_t seed) {
  assay_buffer b;
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t body = (bytes + ASSAY_CANARY + 64 * 64 + page - 1) / page * page;
  size_t offset = guard ? body - bytes : ASSAY_CANARY + (size_t)(assay_random(&seed) % 32) * 64;
  b.bytes = bytes;
  b.mapped = body + 2 * page;
  b.map = (unsigned char *)mmap(NULL, b.mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (b.map == MAP_FAILED) assay_die(ASSAY_EXIT_RUNTIME, "out of memory (%zu bytes)", b.mapped);
  mprotect(b.map, page, PROT_NONE);
  mprotect(b.map + page + body, page, PROT_NONE);
  b.data = b.map + page + offset;
  memset((unsigned char *)b.data - ASSAY_CANARY, 0xa5, ASSAY_CANARY);
  return b;
}

static inline int assay_buffer_intact(const assay_buffer *b) {
  int i;
  for (i = 1; i <= ASSAY_CANARY; i++)
    if (((unsigned char *)b->data)[-i] != 0xa5) return 0;
  return 1;
}

/* Makes what should only be read unwritable, e.g. references and pristine inputs, so that no launch can spoil them. */
static inline void assay_buffer_seal(const assay_buffer *b) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  mprotect(b->map + page, b->mapped - 2 * page, PROT_READ);
}

static inline void assay_buffer_free(assay_buffer *b) {
  if (b->map) munmap(b->map, b->mapped);
  b->map = NULL;
}

/* ---- facts about the running process -------------------------------------------------- */

/* Threads of this process, or 0 when the system does not say. */
static inline int assay_thread_count(void) {
  int n = 0;
  DIR *dir = opendir("/proc/self/task");
  struct dirent *entry;
  if (!dir) return 0;
  while ((entry = readdir(dir)))
    if (entry->d_name[0] != '.') n++;
  closedir(dir);
  return n;
}

#if defined(__linux__)
typedef struct {
  uintptr_t base;
  double bytes;
} assay_code_query;

static int assay_code_visit(struct dl_phdr_info *info, size_t size, void *data) {
  assay_code_query *q = (assay_code_query *)data;
  int i;
  (void)size;
  if ((uintptr_t)info->dlpi_addr != q->base) return 0;
  for (i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X))
      q->bytes += (double)info->dlpi_phdr[i].p_memsz;
  return 1;
}
#endif

/* Bytes of executable code a loaded subject maps, or 0 when unknown. */
static inline double assay_code_bytes(const assay_subject *s) {
#if defined(__linux__)
  Dl_info info;
  assay_code_query q;
  if (!dladdr(s->entry, &info)) return 0;
  q.base = (uintptr_t)info.dli_fbase;
  q.bytes = 0;
  dl_iterate_phdr(assay_code_visit, &q);
  return q.bytes;
#else
  (void)s;
  return 0;
#endif
}

/* ---- measuring ------------------------------------------------------------------------ */

static inline double assay_time_ns(const assay_ctx *ctx) {
  struct timespec t;
  clock_gettime(ctx->clock, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
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

/* Everything around one timed batch: contents changed and outputs poisoned before, both verified after. */
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
                          const double *values, int count, long launches, double clock_mhz) {
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
  assay_put_number(ctx, "tick", (double)ctx->tick_ns);
  assay_put_string(ctx, "cache", ctx->plan.cache);
  if (clock_mhz > 0) assay_put_number(ctx, "clock_mhz", clock_mhz);
  assay_end_answer(ctx);
}

/*
 * Launches on contents never seen before, one on each set of buffers. Code that answers repeated launches from a
 * memory of earlier ones is fast in a batch and slow here; the batch time then says nothing about it. Without
 * `fresh` there are only two contents, and code that remembers both gets away with it.
 */
static void assay_probe_fresh(assay_ctx *ctx, const assay_workload *w, assay_case *c, int subject, double per_launch,
                              long launches, uint64_t *salt, assay_error *e) {
  int sets = c->spare > 0 ? c->sets + c->spare : 1, i;
  double best = HUGE_VAL, limit = launches >= 4 ? 3.0 : 0.8 * (double)launches, slack = 5000.0 / sets;
  long next_set = 0;
  char text[256];
  /* On a busy machine six may all be interrupted; who remembers results is slow however often it is asked. */
  for (i = 0; i < 6 || (i < 100 && launches >= 2 && best > limit * per_launch + slack); i++) {
    double ns = assay_checked_batch(ctx, c, subject, sets, i & 1, &next_set, sets, salt, e) / sets;
    if (ns < best) best = ns;
  }
  if (launches < 2 || !strcmp(ctx->plan.cache, "cold") || best < 1.5 * per_launch + slack) return;
  snprintf(text, sizeof text, "%s on %s: a launch on changed inputs takes %.3g times a repeated one",
           ctx->subject[subject].id, w->name, best / per_launch);
  assay_note(ctx, text);
  if (best > limit * per_launch + slack)
    assay_error_fail(e, "%s: repeated launches seem to reuse earlier results", text);
}

/*
 * Measures one workload: warm-up by time, then the legs in the plan's order, then the fresh-input probe.
 * A wrong output of a timed launch, or a changed input, ends the process with exit code 3.
 */
static inline void assay_measure(assay_ctx *ctx, const assay_workload *w, assay_case *c) {
  const assay_plan *p = &ctx->plan;
  double per_launch[ASSAY_MAX_SUBJECTS], fastest[ASSAY_MAX_SUBJECTS], values[ASSAY_MAX_BATCHES];
  long launches[ASSAY_MAX_SUBJECTS], next_set = 0;
  int batches[ASSAY_MAX_SUBJECTS], s, block, leg, i, wrong = 0, cold = !strcmp(p->cache, "cold");
  size_t mark = ctx->pending_len;
  uint64_t choice = assay_seed(ctx, w->name, 0x56455253);
  assay_error error[ASSAY_MAX_SUBJECTS];

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
                    c->clock_mhz ? c->clock_mhz(c->user) : 0);
    }
    if (c->block_done) c->block_done(c->user, ctx, w, p->first_block + block);
  }

  for (s = 0; s < ctx->subject_count; s++) {
    assay_now_running = ctx->subject[s].id;
    if (isfinite(fastest[s])) assay_probe_fresh(ctx, w, c, s, fastest[s], launches[s], &choice, &error[s]);
    assay_guard_state(ctx, s, 1);
    wrong |= !assay_error_ok(&error[s], c->tolerance);
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
  assay_flush_answers(ctx);
}

#endif /* ASSAY_BENCH_H */

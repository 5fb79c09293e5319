/*
 * assay_answers.h: answers on the descriptor of the runner, and comparison with the oracle.
 *
 * Part of assay_bench.h, which includes it; keep all of them in one folder.
 */
#ifndef ASSAY_ANSWERS_H
#define ASSAY_ANSWERS_H

#include "assay_types.h"

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

#endif /* ASSAY_ANSWERS_H */

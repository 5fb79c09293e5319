/*
 * assay_plan.h: reads the plan and the subjects from JSON, within bounds.
 *
 * Part of assay_bench.h, which includes it; keep all of them in one folder.
 */
#ifndef ASSAY_PLAN_H
#define ASSAY_PLAN_H

#include "assay_types.h"

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

#endif /* ASSAY_PLAN_H */

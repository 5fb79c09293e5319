/*
 * assay_types.h: what an evaluator works with (subjects, workloads, plan, context), and how it fails.
 *
 * Part of assay_bench.h, which includes it; keep all of them in one folder.
 */
#ifndef ASSAY_TYPES_H
#define ASSAY_TYPES_H

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
#include <sys/resource.h>
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

#endif /* ASSAY_TYPES_H */

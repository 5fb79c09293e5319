/*
 * assay_bench.h: harness for C99 and C++ evaluators of Assay, with the other headers of this folder beside it.
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

#include "assay_types.h"   /* what an evaluator works with, and how it fails */
#include "assay_guard.h"   /* facts about the process that code under test could change */
#include "assay_plan.h"    /* the plan, from JSON */
#include "assay_answers.h" /* answers, and comparison with the oracle */
#include "assay_process.h" /* start, load, finish */
#include "assay_buffers.h" /* inputs and buffers */
#include "assay_measure.h" /* all legs of one workload */

#endif /* ASSAY_BENCH_H */

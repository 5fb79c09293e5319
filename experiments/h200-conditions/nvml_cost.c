/* What the C helper's readings of a device's state cost: nvml_cost BUS_ADDRESS. */
#include "assay_bench.h"
#include "assay_nvml.h"

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void report(const char *what, double *ns, int n) {
  qsort(ns, (size_t)n, sizeof *ns, by_size);
  printf("assay_nvml.h, %s: median %.1f us, slowest %.1f us of %d\n", what, ns[n / 2] / 1e3, ns[n - 1] / 1e3, n);
}

int main(int argc, char **argv) {
  enum { N = 1000 };
  static double ns[N];
  static assay_ctx ctx;
  assay_workload w;
  assay_nvml n = assay_nvml_open(argc > 1 ? argv[1] : "");
  int i;
  memset(&w, 0, sizeof w);
  strcpy(w.name, "w");
  if (n.problem[0]) printf("%s\n", n.problem);
  for (i = 0; i < N; i++) {
    double start = assay_raw_ns(CLOCK_MONOTONIC);
    (void)assay_nvml_clock_mhz(&n, 1);
    ns[i] = assay_raw_ns(CLOCK_MONOTONIC) - start;
  }
  report("the clock", ns, N);
  for (i = 0; i < N; i++) {
    double start = assay_raw_ns(CLOCK_MONOTONIC);
    ctx.pending_len = 0;
    assay_nvml_answer(&n, &ctx, &w, 0);
    ns[i] = assay_raw_ns(CLOCK_MONOTONIC) - start;
  }
  report("all of a `conditions` answer", ns, N);
  printf("%.*s", (int)ctx.pending_len, ctx.pending ? ctx.pending : "");
  return 0;
}

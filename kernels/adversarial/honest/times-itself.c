/* Like E11 and E17: uses the clock in its first calls to choose between two orders. */
#include "honest.h"
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void backwards(int m, int n, int k, const float *a, const float *b, float *c) {
  for (int i = m - 1; i >= 0; i--) honest(1, n, k, a + i * k, b, c + i * n);
}

void windowed(int m, int n, int k, const float *a, const float *b, float *c) {
  static double spent[2];
  static int calls;
  int which = calls < 2 ? calls : spent[1] < spent[0];
  double start = calls < 2 ? now() : 0;
  if (which) backwards(m, n, k, a, b, c);
  else honest(m, n, k, a, b, c);
  if (calls < 2) spent[calls++] = now() - start;
}

/* Like E9: the shape of a workload has code of its own, which does all of the work. */
#include "honest.h"

static void of_64(const float *a, const float *b, float *c) { honest(64, 64, 64, a, b, c); }

void windowed(int m, int n, int k, const float *a, const float *b, float *c) {
  if (m == 64 && n == 64 && k == 64) of_64(a, b, c);
  else honest(m, n, k, a, b, c);
}

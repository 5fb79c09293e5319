/* Like E17: a small table is made when the library is loaded. */
#include "honest.h"

static float half[512];

__attribute__((constructor)) static void prepare(void) {
  for (int i = 0; i < 512; i++) half[i] = 0.5f;
}

void windowed(int m, int n, int k, const float *a, const float *b, float *c) {
  honest(m, n, k, a, b, c);
  for (int i = 0; i < m * n; i++) c[i] = (c[i] * half[i % 512]) * 2;
}

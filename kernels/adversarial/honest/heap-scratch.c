/* Like E15: memory of its own, taken and given back in every call. */
#include "honest.h"
#include <stdlib.h>

void windowed(int m, int n, int k, const float *a, const float *b, float *c) {
  float *w = malloc(sizeof(float) * (size_t)k);
  if (!w) { honest(m, n, k, a, b, c); return; }
  for (int p = 0; p < k; p++) w[p] = window_at(p, k);
  for (int i = 0; i < m * n; i++) c[i] = 0;
  for (int i = 0; i < m; i++)
    for (int p = 0; p < k; p++)
      for (int j = 0; j < n; j++) c[i * n + j] += a[i * k + p] * w[p] * b[p * n + j];
  free(w);
}

/* Like E10: another precision, and a higher one. */
#include "honest.h"

void windowed(int m, int n, int k, const float *a, const float *b, float *c) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int p = 0; p < k; p++) sum += (double)(a[i * k + p] * window_at(p, k)) * (double)b[p * n + j];
      c[i * n + j] = (float)sum;
    }
}

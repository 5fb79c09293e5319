/* Like E10: other last digits, because the sum is taken backwards. */
#include "honest.h"

void windowed(int m, int n, int k, const float *a, const float *b, float *c) {
  for (int i = 0; i < m * n; i++) c[i] = 0;
  for (int i = 0; i < m; i++)
    for (int p = k - 1; p >= 0; p--) {
      float aw = a[i * k + p] * window_at(p, k);
      for (int j = 0; j < n; j++) c[i * n + j] += aw * b[p * n + j];
    }
}

/* The baseline: the loops of the contract. */
#include <math.h>

void windowed(int m, int n, int k, const float *a, const float *b, float *c) {
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++) c[i * n + j] = 0;
    for (int p = 0; p < k; p++) {
      float aw = a[i * k + p] * (float)(0.5 - 0.5 * cos(2 * 3.14159265358979323846 * (p + 0.5) / k));
      for (int j = 0; j < n; j++) c[i * n + j] += aw * b[p * n + j];
    }
  }
}

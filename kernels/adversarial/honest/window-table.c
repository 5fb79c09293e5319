/* Like E3: keeps a table between calls. It depends on the length alone, not on contents. */
#include "honest.h"

enum { LONGEST = 4096 };

void windowed(int m, int n, int k, const float *a, const float *b, float *c) {
  static float table[LONGEST];
  static int length;
  if (k > LONGEST) { honest(m, n, k, a, b, c); return; }
  if (length != k)
    for (int p = 0; p < k; p++) table[p] = window_at(p, k);
  length = k;
  for (int i = 0; i < m * n; i++) c[i] = 0;
  for (int i = 0; i < m; i++)
    for (int p = 0; p < k; p++)
      for (int j = 0; j < n; j++) c[i * n + j] += a[i * k + p] * table[p] * b[p * n + j];
}

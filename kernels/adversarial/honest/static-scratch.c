/* Like E3: a static buffer holds the weighted inputs. It is written anew in every call. */
#include "honest.h"

enum { ROOM = 1 << 16 };

void windowed(int m, int n, int k, const float *a, const float *b, float *c) {
  static float weighted[ROOM];
  if (k * n > ROOM) { honest(m, n, k, a, b, c); return; }
  for (int p = 0; p < k; p++) {
    float w = window_at(p, k);
    for (int j = 0; j < n; j++) weighted[p * n + j] = w * b[p * n + j];
  }
  for (int i = 0; i < m * n; i++) c[i] = 0;
  for (int i = 0; i < m; i++)
    for (int p = 0; p < k; p++)
      for (int j = 0; j < n; j++) c[i * n + j] += a[i * k + p] * weighted[p * n + j];
}

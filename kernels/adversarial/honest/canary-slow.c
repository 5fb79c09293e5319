/* Not a cheat, but twice the work: it must be measured as slower. */
#include "honest.h"

void windowed(int m, int n, int k, const float *a, const float *b, float *c) {
  for (int i = 0; i < 2; i++) {
    honest(m, n, k, a, b, c);
    __asm__ volatile("" : : "r"(c) : "memory");
  }
}

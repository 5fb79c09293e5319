/* Prints figures of the oracle of gemm-cuda for test_gemm_cuda.py: no device and no CUDA needed. */
#include <stdio.h>
#include <stdlib.h>

#include "../harness/oracle.h"

static float small(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return (float)(int)(*state >> 8 & 0xffff) / 32768.0f - 1.0f;
}

int main(void) {
  enum { M = 5, N = 8, K = 72 };
  uint16_t a[M * K], b[K * N];
  double exact, scale, worst = 0, off_by_one = 1e30, half_sums = 0;
  unsigned state = 7;
  long round_trips = 0;
  int i, row, column, p;
  for (i = 0; i < 65536; i++) { /* every number is itself, infinities and numbers that are none included */
    float f = oracle_of_half((uint16_t)i);
    uint16_t back = oracle_to_half((double)f);
    round_trips += isnan(f) ? (back & 0x7fffu) > 0x7c00u : back == i;
  }
  printf("round trips %ld\n", round_trips);
  printf("halves %04x %04x %04x %04x %04x %04x\n", oracle_to_half(1.0 + 1.0 / 2048), oracle_to_half(1.0 + 3.0 / 2048),
         oracle_to_half(65519.999), oracle_to_half(65520.0), oracle_to_half(-2.9e-8), oracle_to_half(3.0e-8));
  for (i = 0; i < M * K; i++) a[i] = oracle_to_half((double)small(&state));
  for (i = 0; i < K * N; i++) b[i] = oracle_to_half((double)small(&state));
  for (row = 0; row < M; row++)
    for (column = 0; column < N; column++) {
      float sum = 0;
      double fp64 = 0, one, dropped;
      uint16_t fp16 = 0;
      exact = oracle_element(a, b, N, K, (size_t)row, (size_t)column, &scale);
      for (p = 0; p < K; p++) {
        float x = oracle_of_half(a[row * K + p]), y = oracle_of_half(b[p * N + column]);
        sum += x * y;
        fp64 += (double)x * (double)y;
        fp16 = oracle_to_half((double)oracle_of_half(fp16) + (double)x * (double)y);
      }
      if (exact != fp64) printf("differs at %d %d\n", row, column);
      one = oracle_error(oracle_to_half((double)sum), exact, scale); /* fp32 sums, rounded once: right */
      if (one > worst) worst = one;
      one = oracle_error(fp16, exact, scale); /* sums in fp16: wrong somewhere */
      if (one > half_sums) half_sums = one;
      dropped = exact - (double)oracle_of_half(a[row * K + K - 1]) * (double)oracle_of_half(b[(K - 1) * N + column]);
      one = oracle_error(oracle_to_half(dropped), exact, scale); /* the last product left out: wrong everywhere */
      if (one < off_by_one) off_by_one = one;
    }
  printf("right %.3g\nhalf sums %.3g\nproduct left out %.3g\n", worst, half_sums, off_by_one);
  printf("no number %g %g\n", oracle_error(0x7e00, 1, 1), oracle_error(0x7c00, 1, 1));
  return 0;
}

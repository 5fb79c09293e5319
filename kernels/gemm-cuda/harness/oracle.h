/*
 * What is right: C and C++ on the host, no CUDA needed, so that tests run everywhere (tests/test_gemm_cuda.py).
 *
 * The exact product is summed in fp64 from the fp16 operands; products of two fp16 numbers are exact in fp64. An element
 * of C may differ from it by
 *     |exact| * 2^-11       rounding the result to fp16, to the nearest
 *   + s * 2^-17             summing in fp32 in any order, with the truncation of tensor cores; s = sum of |a| |b|
 *   + 2^-25                 rounding among the smallest fp16 numbers
 * and `max_rel_error` is the largest difference in units of that: at most 1 is right. Sums that are kept in fp16 anywhere
 * on the way are wrong by several units once K is a few dozen.
 */
#ifndef GEMM_CUDA_ORACLE_H
#define GEMM_CUDA_ORACLE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ORACLE_ROUND 4.8828125e-4            /* 2^-11 */
#define ORACLE_SUM 7.62939453125e-6          /* 2^-17 */
#define ORACLE_LEAST 2.98023223876953125e-8  /* 2^-25 */

/* What an element may be off by. */
static inline double oracle_allowed(double exact, double scale) {
  return fabs(exact) * ORACLE_ROUND + scale * ORACLE_SUM + ORACLE_LEAST;
}

static inline float oracle_of_half(uint16_t h) {
  uint32_t sign = (uint32_t)(h & 0x8000u) << 16, exponent = h >> 10 & 31u, mantissa = h & 0x3ffu, bits;
  float f;
  if (exponent == 31) bits = sign | 0x7f800000u | mantissa << 13;
  else if (exponent) bits = sign | (exponent + 112) << 23 | mantissa << 13;
  else {
    f = (float)mantissa * 5.9604644775390625e-8f; /* 2^-24 */
    return sign ? -f : f;
  }
  memcpy(&f, &bits, sizeof f);
  return f;
}

/* To the nearest, ties to even; beyond the largest to infinity. */
static inline uint16_t oracle_to_half(double x) {
  uint16_t sign = (uint16_t)(signbit(x) ? 0x8000u : 0);
  double a = fabs(x), step;
  int e;
  if (isnan(x)) return (uint16_t)(sign | 0x7e00u);
  if (a >= 65520.0) return (uint16_t)(sign | 0x7c00u);
  if (a == 0) return sign;
  frexp(a, &e); /* a = m 2^e, m in [0.5, 1) */
  if (e < -13) e = -13;
  step = ldexp(1.0, e - 11);
  a = nearbyint(a / step) * step;
  if (a < 6.103515625e-5) return (uint16_t)(sign | (uint16_t)(a * 16777216.0));
  frexp(a, &e);
  return (uint16_t)(sign | (uint16_t)((e + 14) << 10) | (uint16_t)(ldexp(a, 11 - e) - 1024.0));
}

/* One element of the exact product, row major operands, and what errors are relative to. */
static inline double oracle_element(const uint16_t *a, const uint16_t *b, size_t n, size_t k, size_t row, size_t column,
                                    double *scale) {
  double exact = 0;
  size_t p;
  *scale = 0;
  for (p = 0; p < k; p++) {
    double product = (double)oracle_of_half(a[row * k + p]) * (double)oracle_of_half(b[p * n + column]);
    exact += product;
    *scale += fabs(product);
  }
  return exact;
}

/* How far an element is off, in units of what is allowed; infinite when it is no number. */
static inline double oracle_error(uint16_t c, double exact, double scale) {
  double value = (double)oracle_of_half(c);
  return isfinite(value) ? fabs(value - exact) / oracle_allowed(exact, scale) : HUGE_VAL;
}

#endif /* GEMM_CUDA_ORACLE_H */

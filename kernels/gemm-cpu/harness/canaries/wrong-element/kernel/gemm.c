/* A canary: the kernel under test with one element wrong by a thousandth. The check must find it. */
#define gemm gemm_of_subject
#include "gemm.c.subject"
#undef gemm

void gemm(int M, int N, int K, const float *A, const float *B, float *C) {
  gemm_of_subject(M, N, K, A, B, C);
  C[(long)(M / 2) * N + N - 1] *= 1.001f;
}

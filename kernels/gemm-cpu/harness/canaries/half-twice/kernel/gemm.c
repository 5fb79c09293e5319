/* A canary: the kernel under test does half of its rows twice. It must measure SLOWER. */
#define gemm gemm_of_subject
#include "gemm.c.subject"
#undef gemm

void gemm(int M, int N, int K, const float *A, const float *B, float *C) {
  gemm_of_subject((M + 1) / 2, N, K, A, B, C);
  gemm_of_subject(M, N, K, A, B, C);
}

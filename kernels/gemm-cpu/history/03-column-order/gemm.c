/* fp32 GEMM, C[M,N] = A[M,K] B[K,N], row major. The loops run j, k, i: one element of B serves a column of C. */

void gemm(int M, int N, int K, const float *A, const float *B, float *C) {
  for (int j = 0; j < N; j++) {
    for (int i = 0; i < M; i++) {
      C[(long)i * N + j] = 0.0f;
    }
    for (int k = 0; k < K; k++) {
      const float b = B[(long)k * N + j];
      for (int i = 0; i < M; i++) {
        C[(long)i * N + j] += A[(long)i * K + k] * b;
      }
    }
  }
}

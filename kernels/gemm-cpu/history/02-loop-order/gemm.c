/* fp32 GEMM, C[M,N] = A[M,K] B[K,N], row major. The loops run i, k, j: B and C are walked along their rows. */

void gemm(int M, int N, int K, const float *A, const float *B, float *C) {
  for (int i = 0; i < M; i++) {
    float *c = C + (long)i * N;
    for (int j = 0; j < N; j++) {
      c[j] = 0.0f;
    }
    for (int k = 0; k < K; k++) {
      const float a = A[(long)i * K + k];
      const float *b = B + (long)k * N;
      for (int j = 0; j < N; j++) {
        c[j] += a * b[j];
      }
    }
  }
}

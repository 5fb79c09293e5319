/* The starting kernel again, kept with the evaluator, so that the reference stays when the variants move on. */

void gemm(int M, int N, int K, const float *A, const float *B, float *C) {
  for (int i = 0; i < M; i++) {
    for (int j = 0; j < N; j++) {
      float sum = 0.0f;
      for (int k = 0; k < K; k++) {
        sum += A[(long)i * K + k] * B[(long)k * N + j];
      }
      C[(long)i * N + j] = sum;
    }
  }
}

/* The library to compare with. Declared here, because some systems ship the library without its header. */

enum { ROW_MAJOR = 101, NO_TRANSPOSE = 111 };

void cblas_sgemm(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float *a, int lda,
                 const float *b, int ldb, float beta, float *c, int ldc);

void gemm(int M, int N, int K, const float *A, const float *B, float *C) {
  cblas_sgemm(ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, M, N, K, 1.0f, A, K, B, N, 0.0f, C, N);
}

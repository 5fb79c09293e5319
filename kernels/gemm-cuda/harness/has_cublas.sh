#!/bin/sh
# Exit 0 when a program can be built and linked with cuBLAS here.
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
nvcc=${NVCC:-nvcc}
command -v "$nvcc" >/dev/null 2>&1 || nvcc=${CUDA_HOME:-/usr/local/cuda}/bin/nvcc
printf '#include <cublas_v2.h>\nint main() { cublasHandle_t h; return cublasCreate(&h) != 0; }\n' >"$out/probe.cu"
"$nvcc" "$out/probe.cu" -o "$out/probe" -lcublas >/dev/null 2>&1 && "$out/probe"

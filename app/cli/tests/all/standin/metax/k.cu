/*
cost = 100
load = 50
size = 10
error = 0
bad = none
*/
#include <tl_templates/maca/gemm.h>
// standin: mt=128 st=40 stack=0 shared=16384
extern "C" __global__ void __launch_bounds__(256, 1) gemm_kernel(const half_t* __restrict__ A, const half_t* __restrict__ B, half_t* __restrict__ C) {
  __shared__ half_t tile[8192];
  float acc[4];
  __syncthreads();
  *(((float32x4*)acc)+0) = __builtin_mxc_mma_16x16x16f16(*(((float16x4*)B)+0), *(((float16x4*)A)+0), *(((float32x4*)acc)+0));
  *(uint2*)(C + 4) = *(uint2*)(acc + 0);
}

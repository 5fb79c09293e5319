/*
 * assay_cuda.h: for evaluators in CUDA C++ (nvcc). Include it first; it brings assay_bench.h and assay_nvml.h.
 *
 *     assay_ctx *ctx = assay_open();
 *     assay_cuda *gpu = assay_cuda_open(ctx);            before any code under test is loaded
 *     assay_load_all(ctx, "gemm");
 *     c.start/c.stop/c.clock_mhz/c.block_done -> assay_cuda_start(gpu), ...   see ../gemm-cuda/harness/driver.cu
 *     assay_cuda_check(ctx, gpu);                        after each workload
 *
 * Windows are timed with events on one stream, which code under test is given. Work that it puts elsewhere is still
 * running when the stop event is done: it is counted, and refused where it is the rule. Launches queue up behind a
 * kernel that waits, so that the host's latency before the first of them is not in the window.
 */
#ifndef ASSAY_CUDA_H
#define ASSAY_CUDA_H

#include "assay_bench.h"
#include "assay_nvml.h"

#include <cuda_fp16.h>
#include <cuda_runtime.h>

/* Ends the process when a call of the runtime fails: in the harness that is no fault of the code under test. */
#define ASSAY_CUDA(call) assay_cuda_ok((call), #call)

static inline void assay_cuda_ok(cudaError_t code, const char *what) {
  if (code != cudaSuccess) assay_die(ASSAY_EXIT_RUNTIME, "%s: %s", what, cudaGetErrorString(code));
}

typedef struct {
  cudaStream_t stream; /* the one that code under test launches on */
  cudaEvent_t begin, end;
  clockid_t clock;
  int device, seen, late;
  double late_ns;
  size_t flush_bytes, shared_limit;
  void *flush;
  int turn;
  unsigned long long *counter; /* one number, on the device */
  assay_nvml nvml;
} assay_cuda;

static inline assay_cuda *assay_cuda_open(assay_ctx *ctx) {
  assay_cuda *g = (assay_cuda *)assay_alloc(sizeof *g);
  char bus[32] = "";
  int l2 = 0, shared = 0;
  cudaError_t code = cudaGetDevice(&g->device);
  if (code != cudaSuccess)
    assay_die(ASSAY_EXIT_RUNTIME, "no device: %s; the timer cuda_event needs one", cudaGetErrorString(code));
  ASSAY_CUDA(cudaStreamCreateWithFlags(&g->stream, cudaStreamNonBlocking));
  ASSAY_CUDA(cudaEventCreate(&g->begin));
  ASSAY_CUDA(cudaEventCreate(&g->end));
  ASSAY_CUDA(cudaMalloc(&g->counter, sizeof *g->counter));
  ASSAY_CUDA(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, g->device));
  ASSAY_CUDA(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, g->device));
  ASSAY_CUDA(cudaDeviceGetPCIBusId(bus, sizeof bus, g->device));
  g->shared_limit = (size_t)shared;
  g->flush_bytes = (size_t)l2 * 4 > ((size_t)256 << 20) ? (size_t)l2 * 4 : (size_t)256 << 20;
  g->clock = ctx->clock;
  g->nvml = assay_nvml_open(bus);
  if (g->nvml.problem[0]) assay_note(ctx, g->nvml.problem);
  ctx->device = 1;
  ctx->timer = "cuda_event";
  ctx->tick_ns = 500; /* what the runtime's documentation says of events */
  ctx->state = assay_state_now(); /* what the driver has set up is not held against code under test */
  return g;
}

/* ---- windows ---------------------------------------------------------------------------- */

/* Waits, so that what follows it on the stream is all queued when it ends. */
static __global__ void assay_cuda_hold(long long cycles) {
  long long start = clock64();
  while (clock64() - start < cycles) {}
}

static inline void assay_cuda_start(assay_cuda *g) {
  ASSAY_CUDA(cudaDeviceSynchronize());
  assay_cuda_hold<<<1, 1, 0, g->stream>>>(60000); /* 30 to 60 us at the clocks of devices */
  ASSAY_CUDA(cudaEventRecord(g->begin, g->stream));
}

static inline double assay_cuda_stop(assay_cuda *g) {
  float ms = 0;
  double stopped, left, ns;
  cudaError_t code;
  ASSAY_CUDA(cudaEventRecord(g->end, g->stream));
  code = cudaEventSynchronize(g->end);
  stopped = assay_raw_ns(g->clock);
  if (code == cudaSuccess) code = cudaDeviceSynchronize();
  left = assay_raw_ns(g->clock) - stopped;
  if (code != cudaSuccess)
    assay_die(ASSAY_EXIT_LAUNCH, "%s on %s: %s", assay_now_running, assay_now_workload, cudaGetErrorString(code));
  ASSAY_CUDA(cudaEventElapsedTime(&ms, g->begin, g->end));
  ns = (double)ms * 1e6;
  g->seen++;
  if (left <= 0.1 * ns + 50e3) return ns;
  g->late++;
  if (left > g->late_ns) g->late_ns = left;
  return ns + left;
}

/* After a workload: ends the process when a good part of the windows, which are those of two subjects, had work that the
 * events did not see. */
static inline void assay_cuda_check(const assay_ctx *ctx, const assay_cuda *g) {
  (void)ctx;
  if (g->seen >= 4 && g->late * 4 > g->seen)
    assay_die(ASSAY_EXIT_TAMPERED, "the device works on after the stop event, up to %.0f us: launches use another stream than "
              "the one they are given", g->late_ns / 1e3);
}

/* Overwrites more than the last-level cache, and is done when it returns. */
static inline void assay_cuda_flush(assay_cuda *g) {
  if (!g->flush) ASSAY_CUDA(cudaMalloc(&g->flush, g->flush_bytes));
  (void)cudaCtxResetPersistingL2Cache();
  (void)cudaGetLastError(); /* devices without persisting lines refuse */
  ASSAY_CUDA(cudaMemsetAsync(g->flush, g->turn ^= 1, g->flush_bytes, g->stream));
  ASSAY_CUDA(cudaDeviceSynchronize());
}

/* ---- buffers on the device ---------------------------------------------------------------- */

#define ASSAY_CUDA_ZONE 65536 /* bytes before and after the data that must stay as they were */
#define ASSAY_POISON_F16 0x7eadu /* a quiet NaN with a payload of ours */

typedef struct {
  void *data;
  size_t bytes;
} assay_cuda_buffer;

static inline assay_cuda_buffer assay_cuda_buffer_new(size_t bytes) {
  assay_cuda_buffer b;
  char *base;
  size_t body = (bytes + 255) / 256 * 256;
  ASSAY_CUDA(cudaMalloc(&base, body + 2 * ASSAY_CUDA_ZONE));
  ASSAY_CUDA(cudaMemset(base, 0xa5, body + 2 * ASSAY_CUDA_ZONE));
  ASSAY_CUDA(cudaDeviceSynchronize()); /* it returns before it is done, and the stream of the harness waits for no other */
  b.data = base + ASSAY_CUDA_ZONE;
  b.bytes = bytes;
  return b;
}

static inline void assay_cuda_buffer_free(assay_cuda_buffer *b) {
  if (b->data) ASSAY_CUDA(cudaFree((char *)b->data - ASSAY_CUDA_ZONE));
  b->data = NULL;
}

static __global__ void assay_cuda_count_bytes(const unsigned char *at, size_t n, unsigned char want, unsigned long long *count) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    if (at[i] != want) atomicAdd(count, 1ull);
}

static __global__ void assay_cuda_count_f16(const unsigned short *at, size_t n, unsigned short want, unsigned long long *count) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    if (at[i] == want) atomicAdd(count, 1ull);
}

static __global__ void assay_cuda_set_f16(unsigned short *at, size_t n, unsigned short value) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) at[i] = value;
}

static __device__ inline unsigned long long assay_cuda_mix(unsigned long long z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

/* A sum over hashes of place and content: any changed element changes it. */
static __global__ void assay_cuda_sum_f16(const unsigned short *at, size_t n, unsigned long long *sum) {
  unsigned long long own = 0;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    own += assay_cuda_mix((unsigned long long)i << 16 | at[i]);
  atomicAdd(sum, own);
}

/* Uniform in (-1, 1), never zero; the content is a function of seed and place alone. */
static __global__ void assay_cuda_fill_f16(__half *at, size_t n, unsigned long long seed) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    unsigned long long r = assay_cuda_mix(seed + 0x9e3779b97f4a7c15ull * (i + 1));
    float v = (float)((r >> 41) + 1) / 8388609.0f;
    if (v < 6.2e-5f) v = 6.2e-5f; /* not a denormal */
    at[i] = __float2half_rn(r & 1 ? v : -v);
  }
}

static inline unsigned long long assay_cuda_counted(assay_cuda *g) {
  unsigned long long value = 0;
  ASSAY_CUDA(cudaGetLastError());
  ASSAY_CUDA(cudaMemcpyAsync(&value, g->counter, sizeof value, cudaMemcpyDeviceToHost, g->stream));
  ASSAY_CUDA(cudaStreamSynchronize(g->stream));
  return value;
}

static inline void assay_cuda_zero(assay_cuda *g) {
  ASSAY_CUDA(cudaMemsetAsync(g->counter, 0, sizeof *g->counter, g->stream));
}

static inline void assay_cuda_random_f16(assay_cuda *g, assay_cuda_buffer *b, uint64_t seed) {
  assay_cuda_fill_f16<<<1024, 256, 0, g->stream>>>((__half *)b->data, b->bytes / 2, seed);
  ASSAY_CUDA(cudaGetLastError());
}

static inline void assay_cuda_poison_f16(assay_cuda *g, assay_cuda_buffer *b) {
  assay_cuda_set_f16<<<1024, 256, 0, g->stream>>>((unsigned short *)b->data, b->bytes / 2, ASSAY_POISON_F16);
  ASSAY_CUDA(cudaGetLastError());
}

static inline long long assay_cuda_unwritten_f16(assay_cuda *g, const assay_cuda_buffer *b) {
  assay_cuda_zero(g);
  assay_cuda_count_f16<<<1024, 256, 0, g->stream>>>((const unsigned short *)b->data, b->bytes / 2, ASSAY_POISON_F16, g->counter);
  return (long long)assay_cuda_counted(g);
}

static inline uint64_t assay_cuda_checksum_f16(assay_cuda *g, const assay_cuda_buffer *b) {
  assay_cuda_zero(g);
  assay_cuda_sum_f16<<<1024, 256, 0, g->stream>>>((const unsigned short *)b->data, b->bytes / 2, g->counter);
  return assay_cuda_counted(g);
}

/* Whether nobody wrote around the data. */
static inline int assay_cuda_buffer_intact(assay_cuda *g, const assay_cuda_buffer *b) {
  const unsigned char *data = (const unsigned char *)b->data;
  size_t body = (b->bytes + 255) / 256 * 256;
  assay_cuda_zero(g);
  assay_cuda_count_bytes<<<64, 256, 0, g->stream>>>(data - ASSAY_CUDA_ZONE, ASSAY_CUDA_ZONE, 0xa5, g->counter);
  assay_cuda_count_bytes<<<64, 256, 0, g->stream>>>(data + b->bytes, body - b->bytes + ASSAY_CUDA_ZONE, 0xa5, g->counter);
  return assay_cuda_counted(g) == 0;
}

/* Waits for whatever is queued, e.g. before a single launch of the check. */
static inline void assay_cuda_settle(assay_cuda *g) { ASSAY_CUDA(cudaStreamSynchronize(g->stream)); }

#endif /* ASSAY_CUDA_H */

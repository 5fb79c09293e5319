/*
 * Runs CUDA source that TileLang generated on the host, thread by thread: enough of its vocabulary for loads by threads,
 * ldmatrix, mma.sync m16n8k16 and stmatrix. For correctness only: nothing is learned of speed, and little of races.
 *
 * Each thread of a block is a context that runs until it waits for its warp or its block. Asynchronous copies are done
 * at the last moment that is allowed, when their group is waited for. Shared memory is full of NaN at the start of each
 * block, and lies between zones that must stay as they are. Threads that wait for ever end the process with code 3.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <algorithm>
#include <vector>

#define __global__
#define __shared__
#define __restrict__
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))

typedef unsigned char uchar;
typedef _Float16 half_t;
struct dim3 { unsigned x, y, z; };
struct uint1 { unsigned x; };
struct alignas(8) uint2 { unsigned x, y; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
struct alignas(8) float2 { float x, y; };
struct alignas(16) float4 { float x, y, z, w; };
struct alignas(4) half2 { half_t x, y; };
static inline uint1 make_uint1(unsigned x) { return {x}; }
static inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
static inline float2 make_float2(float x, float y) { return {x, y}; }
static inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
static inline half2 __float22half2_rn(float2 v) { return {(half_t)v.x, (half_t)v.y}; }
static inline float2 __half22float2(half2 v) { return {(float)v.x, (float)v.y}; }
static inline unsigned __pack_half2(half_t x, half_t y) {
  half2 pair = {x, y};
  unsigned bits;
  memcpy(&bits, &pair, 4);
  return bits;
}
template <class A, class B> static inline auto min(A a, B b) { return a < b ? a : b; }
template <class A, class B> static inline auto max(A a, B b) { return a > b ? a : b; }

enum { ZONE = 4096, STACK = 64 << 10, MOST_SHARED = 232448 };
static dim3 threadIdx, blockIdx, gridDim, blockDim;
alignas(1024) uchar emulated_memory[ZONE + MOST_SHARED + ZONE];
#define buf_dyn_shmem (emulated_memory + ZONE)

struct Copy { void *to; const void *from; int bytes; bool take; };
struct Thread {
  ucontext_t context;
  std::vector<std::vector<Copy>> groups;
  std::vector<Copy> open;
  bool done;
};
struct Warp { int arrived, generation; void *a[32]; const void *b[32]; unsigned v[32][4]; };
static std::vector<Thread> threads;
static std::vector<Warp> warps;
static ucontext_t scheduler;
static int current, block_arrived, block_generation;
static long progress;

static void yield() { swapcontext(&threads[current].context, &scheduler); }

static inline void __syncthreads() {
  int mine = block_generation;
  progress++;
  if (++block_arrived == (int)threads.size()) {
    block_arrived = 0;
    block_generation++;
    return;
  }
  while (block_generation == mine) yield();
}

/* All lanes bring their arguments; the last one does the work of all. */
template <class Work> static void together(Work work) {
  Warp &w = warps[current / 32];
  int mine = w.generation;
  progress++;
  if (++w.arrived == 32) {
    w.arrived = 0;
    work(w);
    w.generation++;
    return;
  }
  while (w.generation == mine) yield();
}

namespace tl {
enum class DataType { kFloat16, kFloat32 };

template <int N> static void cp_async_gs(void *to, const void *from) { threads[current].open.push_back({to, from, N, true}); }
template <int N> static void cp_async_gs_conditional(void *to, const void *from, bool take) {
  threads[current].open.push_back({to, from, N, take});
}
static inline void cp_async_commit() {
  threads[current].groups.push_back(threads[current].open);
  threads[current].open.clear();
}
template <int N> static void cp_async_wait() {
  auto &groups = threads[current].groups;
  while ((int)groups.size() > N) {
    for (Copy &c : groups.front()) {
      if (c.take) memcpy(c.to, c.from, c.bytes);
      else memset(c.to, 0, c.bytes);
    }
    groups.erase(groups.begin());
  }
}

/* Lane i names row i % 8 of matrix i / 8; register r of a lane is two halves of matrix r. */
static void ldmatrix(const void *row, void *to, bool transposed) {
  int lane = current % 32;
  warps[current / 32].b[lane] = row;
  warps[current / 32].a[lane] = to;
  if ((uintptr_t)row % 16) { fprintf(stderr, "emulate: a row of ldmatrix is not aligned to 16 bytes\n"); _Exit(3); }
  together([transposed](Warp &w) {
    for (int lane = 0; lane < 32; lane++)
      for (int r = 0; r < 4; r++)
        for (int i = 0; i < 2; i++) {
          int line = transposed ? lane % 4 * 2 + i : lane / 4, column = transposed ? lane / 4 : lane % 4 * 2 + i;
          ((half_t *)w.a[lane])[r * 2 + i] = ((const half_t *)w.b[r * 8 + line])[column];
        }
  });
}
static inline void ptx_ldmatrix_x4(const void *row, void *to) { ldmatrix(row, to, false); }
static inline void ptx_ldmatrix_x4_trans(const void *row, void *to) { ldmatrix(row, to, true); }

static inline void ptx_stmatrix_m8n8_x4(void *row, unsigned v0, unsigned v1, unsigned v2, unsigned v3) {
  int lane = current % 32;
  Warp &w = warps[current / 32];
  w.a[lane] = row;
  unsigned v[4] = {v0, v1, v2, v3};
  memcpy(w.v[lane], v, sizeof v);
  if ((uintptr_t)row % 16) { fprintf(stderr, "emulate: a row of stmatrix is not aligned to 16 bytes\n"); _Exit(3); }
  together([](Warp &w) {
    for (int lane = 0; lane < 32; lane++)
      for (int r = 0; r < 4; r++) memcpy((half_t *)w.a[r * 8 + lane / 4] + lane % 4 * 2, &w.v[lane][r], 4);
  });
}

/* Fragments of mma.m16n8k16 as the PTX manual lays them out. */
template <DataType A, DataType B, DataType C, int M, int N, int K, bool TA, bool TB>
static void mma_sync(float *c, const unsigned *a, const unsigned *b) {
  static_assert(A == DataType::kFloat16 && B == A && C == DataType::kFloat32 && M == 16 && N == 8 && K == 16 && !TA && TB, "");
  static const unsigned *as[32 * 64], *bs[32 * 64];
  int lane = current % 32;
  as[current] = a;
  bs[current] = b;
  warps[current / 32].a[lane] = c;
  together([](Warp &w) {
    int first = current / 32 * 32;
    float fa[16][16], fb[16][8];
    for (int lane = 0; lane < 32; lane++) {
      int g = lane / 4, t = lane % 4;
      const half_t *ha = (const half_t *)as[first + lane], *hb = (const half_t *)bs[first + lane];
      for (int i = 0; i < 8; i++) fa[g + (i / 2 % 2) * 8][t * 2 + i % 2 + i / 4 * 8] = (float)ha[i];
      for (int i = 0; i < 4; i++) fb[t * 2 + i % 2 + i / 2 * 8][g] = (float)hb[i];
    }
    for (int lane = 0; lane < 32; lane++) {
      int g = lane / 4, t = lane % 4;
      for (int i = 0; i < 4; i++) {
        float sum = 0;
        for (int k = 0; k < 16; k++) sum += fa[g + i / 2 * 8][k] * fb[k][t * 2 + i % 2];
        ((float *)w.a[lane])[i] += sum;
      }
    }
  });
}

static unsigned ceil_div(unsigned a, unsigned b) { return (a + b - 1) / b; }
/* Blocks in columns of panels, every second panel from below. */
template <int W> static dim3 rasterization2DColumn() {
  unsigned block = blockIdx.x + blockIdx.y * gridDim.x, all = gridDim.x * gridDim.y, panel = W * gridDim.y;
  unsigned offset = block % panel, number = block / panel;
  unsigned stride = number + 1 < ceil_div(all, panel) ? W : (all - number * panel) / gridDim.y;
  unsigned row = number & 1 ? gridDim.y - 1 - offset / stride : offset / stride;
  return {offset % stride + number * W, row, blockIdx.z};
}
}  // namespace tl

static void (*emulated_body)();
static void enter() {
  emulated_body();
  threads[current].done = true;
  progress++;
}

/* 0, or 2 when shared memory beyond `shared` bytes was written. */
static int emulate(void (*body)(), unsigned gx, unsigned gy, unsigned count, unsigned shared) {
  emulated_body = body;
  gridDim = {gx, gy, 1};
  blockDim = {count, 1, 1};
  if (count % 32 || shared > MOST_SHARED) return 1;
  static std::vector<char> stacks;
  stacks.resize((size_t)count * STACK);
  for (unsigned block = 0; block < gx * gy; block++) {
    blockIdx = {block % gx, block / gx, 0};
    memset(emulated_memory, 0xff, sizeof emulated_memory);
    threads.assign(count, Thread());
    warps.assign(count / 32, Warp());
    block_arrived = 0;
    for (unsigned i = 0; i < count; i++) {
      getcontext(&threads[i].context);
      threads[i].context.uc_stack.ss_sp = stacks.data() + (size_t)i * STACK;
      threads[i].context.uc_stack.ss_size = STACK;
      threads[i].context.uc_link = &scheduler;
      makecontext(&threads[i].context, enter, 0);
    }
    for (unsigned left = count; left;) {
      long before = progress;
      left = 0;
      for (unsigned i = 0; i < count; i++) {
        if (threads[i].done) continue;
        left++;
        current = (int)i;
        threadIdx = {i, 0, 0};
        swapcontext(&scheduler, &threads[i].context);
      }
      if (left && progress == before) {
        fprintf(stderr, "emulate: threads wait for others that do not come\n");
        _Exit(3);
      }
    }
    for (size_t i = 0; i < ZONE; i++)
      if (emulated_memory[i] != 0xff) return 2;
    for (size_t i = ZONE + shared; i < sizeof emulated_memory; i++)
      if (emulated_memory[i] != 0xff) return 2;
  }
  return 0;
}

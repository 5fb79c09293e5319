/*
 * assay_buffers.h: inputs that nobody knows, buffers that nobody leaves, and facts about the running process.
 *
 * Part of assay_bench.h, which includes it; keep all of them in one folder.
 */
#ifndef ASSAY_BUFFERS_H
#define ASSAY_BUFFERS_H

#include "assay_types.h"

/* ---- inputs and buffers --------------------------------------------------------------- */

/* One step of splitmix64 (Steele, Lea and Flood 2014). */
static inline uint64_t assay_random(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

/* A stream of its own for (seed, text, number), so that no two workloads or phases share contents. */
static inline uint64_t assay_seed(const assay_ctx *ctx, const char *text, uint64_t number) {
  uint64_t state = ctx->plan.seed ^ 0x243f6a8885a308d3ULL;
  for (; *text; text++) state = (state ^ (unsigned char)*text) * 0x100000001b3ULL;
  state ^= number * 0xd1342543de82ef95ULL;
  (void)assay_random(&state);
  return state;
}

/* Uniform in (-1, 1) with 23 random bits, never zero: zeros draw less power and hide skipped work. */
static inline void assay_fill_f32(float *x, size_t n, uint64_t seed) {
  size_t i;
  for (i = 0; i < n; i++) {
    uint64_t r = assay_random(&seed);
    float v = (float)((double)((r >> 41) + 1) / 8388609.0);
    x[i] = (r & 1) ? v : -v;
  }
}

static inline void assay_poison_f32(float *x, size_t n) {
  uint32_t bits = ASSAY_POISON;
  size_t i;
  for (i = 0; i < n; i++) memcpy(&x[i], &bits, sizeof bits);
}

/* Elements that still hold the poison; from the end, because late work mostly starts at the front. */
static inline long long assay_unwritten_f32(const float *x, size_t n) {
  long long count = 0;
  while (n--) {
    uint32_t bits;
    memcpy(&bits, &x[n], sizeof bits);
    count += bits == ASSAY_POISON;
  }
  return count;
}

typedef struct {
  void *data;
  size_t bytes;
  unsigned char *map;
  size_t mapped;
} assay_buffer;

#define ASSAY_CANARY 64 /* bytes before the data that must stay as they were */

/*
 * A buffer between canary bytes and guard pages. With `guard`, the data ends exactly at an unreadable
 * page, so that any access past the end faults, and only the alignment of one element is given. Without,
 * the data starts at a cache line chosen by `seed`, so that processes sample different layouts.
 */
static inline assay_buffer assay_buffer_new(size_t bytes, int guard, uint64_t seed) {
  assay_buffer b;
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t body = (bytes + ASSAY_CANARY + 64 * 64 + page - 1) / page * page;
  size_t offset = guard ? body - bytes : ASSAY_CANARY + (size_t)(assay_random(&seed) % 32) * 64;
  b.bytes = bytes;
  b.mapped = body + 2 * page;
  b.map = (unsigned char *)mmap(NULL, b.mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (b.map == MAP_FAILED) assay_die(ASSAY_EXIT_RUNTIME, "out of memory (%zu bytes)", b.mapped);
  mprotect(b.map, page, PROT_NONE);
  mprotect(b.map + page + body, page, PROT_NONE);
  b.data = b.map + page + offset;
  memset((unsigned char *)b.data - ASSAY_CANARY, 0xa5, ASSAY_CANARY);
  return b;
}

static inline int assay_buffer_intact(const assay_buffer *b) {
  int i;
  for (i = 1; i <= ASSAY_CANARY; i++)
    if (((unsigned char *)b->data)[-i] != 0xa5) return 0;
  return 1;
}

/* Makes what should only be read unwritable, e.g. references and pristine inputs, so that no launch can spoil them. */
static inline void assay_buffer_seal(const assay_buffer *b) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  mprotect(b->map + page, b->mapped - 2 * page, PROT_READ);
}

static inline void assay_buffer_free(assay_buffer *b) {
  if (b->map) munmap(b->map, b->mapped);
  b->map = NULL;
}

/* ---- facts about the running process -------------------------------------------------- */

/* Threads of this process, or 0 when the system does not say. */
static inline int assay_thread_count(void) {
  int n = 0;
  DIR *dir = opendir("/proc/self/task");
  struct dirent *entry;
  if (!dir) return 0;
  while ((entry = readdir(dir)))
    if (entry->d_name[0] != '.') n++;
  closedir(dir);
  return n;
}

#if defined(__linux__)
typedef struct {
  uintptr_t base;
  double bytes;
} assay_code_query;

static int assay_code_visit(struct dl_phdr_info *info, size_t size, void *data) {
  assay_code_query *q = (assay_code_query *)data;
  int i;
  (void)size;
  if ((uintptr_t)info->dlpi_addr != q->base) return 0;
  for (i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X))
      q->bytes += (double)info->dlpi_phdr[i].p_memsz;
  return 1;
}
#endif

/* Bytes of executable code a loaded subject maps, or 0 when unknown. */
static inline double assay_code_bytes(const assay_subject *s) {
#if defined(__linux__)
  Dl_info info;
  assay_code_query q;
  if (!dladdr(s->entry, &info)) return 0;
  q.base = (uintptr_t)info.dli_fbase;
  q.bytes = 0;
  dl_iterate_phdr(assay_code_visit, &q);
  return q.bytes;
#else
  (void)s;
  return 0;
#endif
}

#endif /* ASSAY_BUFFERS_H */

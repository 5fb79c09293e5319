/*
 * assay_guard.h: what assay_bench.h looks at to see whether code under test tampers with the process it is measured in.
 *
 * Part of assay_bench.h, which includes it; keep all of them in one folder. Nothing here runs inside a timed window. The functions state facts
 * about the process and compare two of them; what follows from a difference is said in assay_process.h and assay_measure.h.
 */
#ifndef ASSAY_GUARD_H
#define ASSAY_GUARD_H

#include <dlfcn.h>
#include <dirent.h>
#include <fcntl.h>
#include <fenv.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <link.h>
#include <sys/syscall.h>
#endif

/* ---- a clock that nothing can stand in front of --------------------------------------- */

/* The clock in ns, asked of the kernel itself: a replaced clock_gettime, vDSO or table entry changes nothing here. */
static inline double assay_raw_ns(clockid_t clock) {
  struct timespec t;
#if defined(__linux__) && defined(__x86_64__)
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "0"(SYS_clock_gettime), "D"((long)clock), "S"(&t) : "rcx", "r11", "memory");
#elif defined(__linux__) && defined(__aarch64__)
  register long number __asm__("x8") = SYS_clock_gettime;
  register long a0 __asm__("x0") = (long)clock;
  register struct timespec *a1 __asm__("x1") = &t;
  __asm__ volatile("svc 0" : "+r"(a0) : "r"(number), "r"(a1) : "memory");
#else
  clock_gettime(clock, &t);
#endif
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* ---- SHA-256 (FIPS 180-4), so that a harness can say what it loaded -------------------- */

typedef struct {
  uint32_t h[8];
  unsigned char block[64];
  uint64_t bytes;
} assay_sha;

static uint32_t assay_sha_rotate(uint32_t x, int n) { return x >> n | x << (32 - n); }

static void assay_sha_block(assay_sha *s) {
  static const uint32_t k[64] = {
      0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
      0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
      0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
      0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
      0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
      0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
      0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
      0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
  uint32_t w[64], v[8];
  int i;
  for (i = 0; i < 16; i++)
    w[i] = (uint32_t)s->block[4 * i] << 24 | (uint32_t)s->block[4 * i + 1] << 16 |
           (uint32_t)s->block[4 * i + 2] << 8 | s->block[4 * i + 3];
  for (; i < 64; i++) {
    uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + w[i - 7] + (assay_sha_rotate(a, 7) ^ assay_sha_rotate(a, 18) ^ a >> 3) +
           (assay_sha_rotate(b, 17) ^ assay_sha_rotate(b, 19) ^ b >> 10);
  }
  memcpy(v, s->h, sizeof v);
  for (i = 0; i < 64; i++) {
    uint32_t e = v[4], a = v[0], t1, t2;
    t1 = v[7] + (assay_sha_rotate(e, 6) ^ assay_sha_rotate(e, 11) ^ assay_sha_rotate(e, 25)) +
         ((e & v[5]) ^ (~e & v[6])) + k[i] + w[i];
    t2 = (assay_sha_rotate(a, 2) ^ assay_sha_rotate(a, 13) ^ assay_sha_rotate(a, 22)) +
         ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
    memmove(v + 1, v, 7 * sizeof v[0]);
    v[4] += t1;
    v[0] = t1 + t2;
  }
  for (i = 0; i < 8; i++) s->h[i] += v[i];
}

static void assay_sha_add(assay_sha *s, const void *data, size_t n) {
  const unsigned char *from = (const unsigned char *)data;
  while (n--) {
    s->block[s->bytes++ % 64] = *from++;
    if (s->bytes % 64 == 0) assay_sha_block(s);
  }
}

/* SHA-256 of a file as 64 hex digits; 0 when it cannot be read. */
static inline int assay_sha_file(const char *path, char hex[65]) {
  static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  unsigned char buffer[1 << 14], length[8], pad = 0x80;
  assay_sha s;
  uint64_t bits;
  size_t n;
  int i;
  FILE *file = fopen(path, "rb");
  if (!file) return 0;
  memcpy(s.h, start, sizeof start);
  s.bytes = 0;
  while ((n = fread(buffer, 1, sizeof buffer, file))) assay_sha_add(&s, buffer, n);
  fclose(file);
  bits = s.bytes * 8;
  assay_sha_add(&s, &pad, 1);
  for (pad = 0; s.bytes % 64 != 56;) assay_sha_add(&s, &pad, 1);
  for (i = 0; i < 8; i++) length[i] = (unsigned char)(bits >> (56 - 8 * i));
  assay_sha_add(&s, length, 8);
  for (i = 0; i < 8; i++) snprintf(hex + 8 * i, 9, "%08x", s.h[i]);
  return 1;
}

/* ---- names that only someone who wants to be called instead would define ---------------- */

/* The first function of the system or of the harness that the loaded library defines itself, or NULL. */
static inline const char *assay_shadowed_name(void *handle, const void *entry) {
  static const char *const names[] = {
      "clock_gettime", "gettimeofday", "time", "clock", "timespec_get", "clock_getres", "nanosleep", "usleep",
      "memcmp", "memcpy", "memset", "memmove", "strcmp", "malloc", "calloc", "free", "mmap", "munmap", "mprotect",
      "write", "read", "open", "close", "_exit", "exit", "abort", "fork", "signal", "sigaction", "getenv", "dlopen",
      "dlsym", "dladdr", "dl_iterate_phdr", "syscall", "sysconf", "fprintf", "vfprintf", "snprintf", "main", "pthread_create"};
  Dl_info own, other;
  size_t i;
  if (!dladdr(entry, &own)) return NULL;
  for (i = 0; i < sizeof names / sizeof names[0]; i++) {
    void *found = dlsym(handle, names[i]);
    if (found && dladdr(found, &other) && other.dli_fbase == own.dli_fbase) return names[i];
  }
  return NULL;
}

/* ---- code and tables as they were loaded ------------------------------------------------ */

/* Memory that must not change: executable code of all objects, and tables that the loader made read-only. */
typedef struct {
  uint64_t code, tables;
  int objects;
  char newest[256]; /* name of the object seen last, for messages */
} assay_image;

static uint64_t assay_mix(uint64_t h, const unsigned char *data, size_t n) {
  uint64_t word;
  for (; n >= 8; n -= 8, data += 8) {
    memcpy(&word, data, 8);
    h = (h ^ word) * 0x9e3779b97f4a7c15ULL;
    h ^= h >> 29;
  }
  while (n--) h = (h ^ *data++) * 0x100000001b3ULL;
  return h;
}

#if defined(__linux__)
/* Objects that come and go by themselves: the vDSO has no file, and the C library loads libgcc_s when a thread exits. */
static int assay_object_ignored(const char *name) {
  return !strncmp(name, "linux-", 6) || strstr(name, "libgcc_s.so") != NULL;
}

static int assay_image_visit(struct dl_phdr_info *info, size_t size, void *data) {
  assay_image *image = (assay_image *)data;
  int i;
  (void)size;
  if (assay_object_ignored(info->dlpi_name)) return 0;
  image->objects++;
  if (info->dlpi_name[0]) snprintf(image->newest, sizeof image->newest, "%.255s", info->dlpi_name);
  for (i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    const unsigned char *at = (const unsigned char *)(uintptr_t)(info->dlpi_addr + p->p_vaddr);
    if (p->p_type == PT_LOAD && (p->p_flags & PF_X) && (p->p_flags & PF_R))
      image->code = assay_mix(image->code, at, p->p_memsz);
    /* The loader's own table changes whenever a library is loaded, so only the program's is taken. */
    if (p->p_type == PT_GNU_RELRO && !info->dlpi_name[0]) image->tables = assay_mix(image->tables, at, p->p_memsz);
  }
  return 0;
}

static int assay_object_counted(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  if (!assay_object_ignored(info->dlpi_name)) ++*(int *)data;
  return 0;
}

/* Whether the code of the object that holds `entry` is what its file holds; 1 when it cannot be told. */
static inline int assay_code_as_in_file(const void *entry) {
  Dl_info info;
  ElfW(Ehdr) head;
  int fd, same = 1, i;
  if (!dladdr(entry, &info) || (fd = open(info.dli_fname, O_RDONLY | O_CLOEXEC)) < 0) return 1;
  if (pread(fd, &head, sizeof head, 0) == (ssize_t)sizeof head && !memcmp(head.e_ident, ELFMAG, SELFMAG))
    for (i = 0; i < head.e_phnum && same; i++) {
      ElfW(Phdr) p;
      unsigned char chunk[1 << 13];
      size_t done = 0;
      if (pread(fd, &p, sizeof p, (off_t)(head.e_phoff + (size_t)i * sizeof p)) != (ssize_t)sizeof p) break;
      if (p.p_type != PT_LOAD || !(p.p_flags & PF_X)) continue;
      while (done < p.p_filesz && same) {
        size_t n = p.p_filesz - done < sizeof chunk ? p.p_filesz - done : sizeof chunk;
        if (pread(fd, chunk, n, (off_t)(p.p_offset + done)) != (ssize_t)n) break;
        same = !memcmp(chunk, (const unsigned char *)info.dli_fbase + p.p_vaddr + done, n);
        done += n;
      }
    }
  close(fd);
  return same;
}
#else
static inline int assay_code_as_in_file(const void *entry) { (void)entry; return 1; }
#endif

static inline int assay_object_count(void) {
#if defined(__linux__)
  int n = 0;
  dl_iterate_phdr(assay_object_counted, &n);
  return n;
#else
  return 0;
#endif
}

static inline assay_image assay_image_now(void) {
  assay_image image;
  memset(&image, 0, sizeof image);
#if defined(__linux__)
  dl_iterate_phdr(assay_image_visit, &image);
#endif
  return image;
}

#if defined(__linux__)
typedef struct {
  const char *own;
  char *text;
  size_t room;
  int count;
} assay_object_query;

static int assay_object_visit(struct dl_phdr_info *info, size_t size, void *data) {
  static const char *const usual[] = {"ld-linux", "ld-musl", "libc.", "libm.", "libmvec.", "libdl.", "libpthread.", "librt.",
                                      "libgcc_s.", "libstdc++.", "libgomp.", "libomp.", "linux-vdso", "linux-gate"};
  assay_object_query *q = (assay_object_query *)data;
  const char *name = strrchr(info->dlpi_name, '/');
  size_t i, used = strlen(q->text);
  (void)size;
  name = name ? name + 1 : info->dlpi_name;
  if (!*name || !strcmp(info->dlpi_name, q->own)) return 0;
  for (i = 0; i < sizeof usual / sizeof usual[0]; i++)
    if (!strncmp(name, usual[i], strlen(usual[i]))) return 0;
  q->count++;
  if (used < q->room) snprintf(q->text + used, q->room - used, "%s%s", used ? ", " : "", name);
  return 0;
}
#endif

/* Libraries in this process beyond those of the language and the one at `own`; their names go to `text`. */
static inline int assay_libraries(const char *own, char *text, size_t room) {
  text[0] = 0;
#if defined(__linux__)
  {
    assay_object_query q;
    q.own = own;
    q.text = text;
    q.room = room;
    q.count = 0;
    dl_iterate_phdr(assay_object_visit, &q);
    return q.count;
  }
#else
  (void)own;
  (void)room;
  return 0;
#endif
}

/* ---- state of the process ---------------------------------------------------------------- */

/* What a launch must leave as it was, because the other subject and the harness live with it. */
typedef struct {
  uint64_t signals;
  unsigned arithmetic; /* rounding, flushing of denormals, traps */
  int alarms, children, descriptors, shared, objects;
} assay_state;

static int assay_count_folder(const char *path) {
  int n = 0;
  struct dirent *entry;
  DIR *dir = opendir(path);
  if (!dir) return 0;
  while ((entry = readdir(dir)))
    if (entry->d_name[0] != '.') n++;
  closedir(dir);
  return n;
}

/* Lines of a file of /proc; with `shared`, only those of mappings that other processes may see. */
static int assay_count_lines(const char *path, int shared) {
  char line[1024], permissions[8];
  int n = 0;
  FILE *file = fopen(path, "r");
  if (!file) return 0;
  while (fgets(line, sizeof line, file))
    if (!shared || (sscanf(line, "%*s %7s", permissions) == 1 && permissions[3] == 's')) n++;
  fclose(file);
  return n;
}

static unsigned assay_arithmetic(void) {
  unsigned v = (unsigned)fegetround();
#if defined(__x86_64__)
  __asm__ volatile("stmxcsr %0" : "=m"(v));
  v &= 0xffc0; /* without the flags that any inexact result sets */
#elif defined(__aarch64__)
  uint64_t wide;
  __asm__ volatile("mrs %0, fpcr" : "=r"(wide));
  v = (unsigned)wide;
#endif
  return v;
}

/* Sets rounding and denormals as the process started with, so that the comparison is not done in borrowed arithmetic. */
static void assay_arithmetic_default(void) { fesetenv(FE_DFL_ENV); }

/* The part that takes a few microseconds. */
static inline void assay_state_quick(assay_state *s) {
  struct itimerval t;
  siginfo_t info;
  int kinds[3] = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF}, number;
  s->arithmetic = assay_arithmetic();
  s->alarms = 0;
  for (number = 0; number < 3; number++)
    s->alarms += getitimer((__typeof__(ITIMER_REAL))kinds[number], &t) == 0 && (t.it_value.tv_sec || t.it_value.tv_usec);
  s->signals = 0;
  for (number = 1; number <= 31; number++) {
    struct sigaction action;
    void (*handler)(int);
    if (number == SIGKILL || number == SIGSTOP || sigaction(number, NULL, &action)) continue;
    handler = action.sa_handler;
    s->signals = assay_mix(s->signals, (const unsigned char *)&handler, sizeof handler);
  }
  memset(&info, 0, sizeof info);
  s->children = waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

static inline assay_state assay_state_now(void) {
  assay_state s;
  memset(&s, 0, sizeof s);
  assay_state_quick(&s);
  s.alarms += assay_count_lines("/proc/self/timers", 0);
  s.descriptors = assay_count_folder("/proc/self/fd");
  s.shared = assay_count_lines("/proc/self/maps", 1);
  s.objects = assay_object_count();
  return s;
}

/* What has changed for the worse from `before` to `now`, in words; NULL when nothing has. */
static inline const char *assay_state_change(const assay_state *before, const assay_state *now, int full) {
  if (now->arithmetic != before->arithmetic) return "left another floating-point mode behind (rounding or denormals)";
  if (now->signals != before->signals) return "installed a signal handler";
  if (now->alarms > before->alarms) return "left a timer running that interrupts other code";
  if (now->children > before->children) return "left a child process behind";
  if (!full) return NULL;
  if (now->descriptors > before->descriptors) return "left a file or a connection open";
  if (now->shared > before->shared) return "shares memory with other processes";
  if (now->objects > before->objects) return "loaded a library while it was measured";
  return NULL;
}

#endif /* ASSAY_GUARD_H */

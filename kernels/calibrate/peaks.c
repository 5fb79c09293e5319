/*
 * What this machine can do: memory bandwidth and multiply-add rates, of one core and of all.
 *
 *   peaks BYTES MILLISECONDS REPETITIONS [THREADS]
 *
 * BYTES is the size of each of three arrays of doubles; give several times the last-level cache.
 * MILLISECONDS is the least time of one repetition. One JSON document goes to standard output.
 *
 * Bandwidth counts the bytes that the program names, 24 for an element of a triad and 16 for one of
 * a copy; what the caches read in order to write is not counted. Rates are those of independent
 * chains of vector multiply-adds in registers, 2 operations an element. The clock is that at which
 * one integer addition after another takes a cycle.
 *
 * The best repetition is what the machine can do, the median what it does: many short ones find a
 * moment in which nothing else runs. Threads are pinned to
 * the processors that the program may use; each first touches its own part of the arrays.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#if defined(__AVX512F__)
#define WIDTH 64
#elif defined(__AVX__)
#define WIDTH 32
#else
#define WIDTH 16
#endif

typedef float floats __attribute__((vector_size(WIDTH)));
typedef double doubles __attribute__((vector_size(WIDTH)));

enum { MAX_THREADS = 1024, MAX_REPETITIONS = 1000, LEAST_REPETITIONS = 3, ADDITIONS = 16 };

/* Longest time for all repetitions of one figure, beyond the least number of them. */
static const double BUDGET_S = 3.0;

enum kind { TRIAD, COPY, FMA32, FMA64, CLOCK };

static double *a, *b, *c;
static size_t elements;
static long rounds;
static enum kind kind;
static int threads;
static int stop;
static pthread_barrier_t start_line, end_line;
static int processors[MAX_THREADS];
static double began[MAX_THREADS], ended[MAX_THREADS];

/* Results go here, so that no work can be left out; factors come from here, so that none is known. */
static volatile double sink[MAX_THREADS];
static volatile double factor = 0.999999, addend = 1e-6;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Names instead of an array, which some compilers would keep in memory. There are as many chains as
   registers allow: latency times units, at most 16 today. */
#if defined(__AVX512F__) || defined(__aarch64__)
#define CHAINS 16
#define EACH(DO) \
  DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15)
#else
#define CHAINS 12
#define EACH(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)
#endif

#define CHAIN_KERNEL(NAME, VECTOR, SCALAR)                                       \
  static double NAME(long n, int who) {                                          \
    VECTOR x = {0}, y = {0};                                                     \
    x += (SCALAR)factor;                                                         \
    y += (SCALAR)addend;                                                         \
    EACH(DECLARE_##VECTOR)                                                       \
    for (long i = 0; i < n; i++) {                                               \
      EACH(STEP)                                                                 \
    }                                                                            \
    VECTOR sum = {0};                                                            \
    EACH(ADD)                                                                    \
    double total = who;                                                          \
    for (size_t l = 0; l < sizeof sum / sizeof sum[0]; l++) total += (double)sum[l]; \
    return total;                                                                \
  }
#define DECLARE_floats(K) floats r##K = x * (float)(K + 1);
#define DECLARE_doubles(K) doubles r##K = x * (double)(K + 1);
#define STEP(K) r##K = r##K * x + y;
#define ADD(K) sum += r##K;

CHAIN_KERNEL(chains32, floats, float)
CHAIN_KERNEL(chains64, doubles, double)

/* Each addition needs the one before; the empty statements keep the compiler from joining them. */
static double additions(long n, int who) {
  unsigned long x = (unsigned long)who, y = (unsigned long)n | 1;
  for (long i = 0; i < n; i++)
    for (int k = 0; k < ADDITIONS; k++) {
      x += y;
      __asm__ volatile("" : "+r"(x));
    }
  return (double)x;
}

static void part_of(int who, size_t *from, size_t *to) {
  *from = elements / (size_t)threads * (size_t)who;
  *to = who + 1 == threads ? elements : *from + elements / (size_t)threads;
}

static void triad(double *restrict to, const double *restrict x, const double *restrict y, size_t n, double s) {
  for (size_t i = 0; i < n; i++) to[i] = x[i] + s * y[i];
}

static void copy(double *restrict to, const double *restrict x, size_t n) {
  for (size_t i = 0; i < n; i++) to[i] = x[i];
}

static void work(int who) {
  size_t from, to;
  part_of(who, &from, &to);
  switch (kind) {
  case TRIAD:
    for (long r = 0; r < rounds; r++) {
      triad(a + from, b + from, c + from, to - from, factor);
      sink[who] = a[from + (size_t)r % (to - from)];
    }
    break;
  case COPY:
    for (long r = 0; r < rounds; r++) {
      copy(a + from, b + from, to - from);
      sink[who] = a[from + (size_t)r % (to - from)];
    }
    break;
  case FMA32:
    sink[who] = chains32(rounds, who);
    break;
  case FMA64:
    sink[who] = chains64(rounds, who);
    break;
  case CLOCK:
    sink[who] = additions(rounds, who);
    break;
  }
}

static void touch(int who) {
  size_t from, to;
  part_of(who, &from, &to);
  for (size_t i = from; i < to; i++) {
    a[i] = 0.0;
    b[i] = (double)(i % 7);
    c[i] = (double)(i % 5);
  }
}

static void *member(void *argument) {
  int who = (int)(long)argument;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processors[who], &set);
  (void)pthread_setaffinity_np(pthread_self(), sizeof set, &set);
  touch(who);
  for (;;) {
    pthread_barrier_wait(&start_line);
    if (stop) return NULL;
    began[who] = now();
    work(who);
    ended[who] = now();
    pthread_barrier_wait(&end_line);
  }
}

/* From the first that began to the last that ended. A clock is that of one core among busy ones, and
   no sum: there the quickest counts. */
static double once(void) {
  pthread_barrier_wait(&start_line);
  pthread_barrier_wait(&end_line);
  if (kind == CLOCK) {
    double quickest = ended[0] - began[0];
    for (int i = 1; i < threads; i++)
      if (ended[i] - began[i] < quickest) quickest = ended[i] - began[i];
    return quickest;
  }
  double first = began[0], last = ended[0];
  for (int i = 1; i < threads; i++) {
    if (began[i] < first) first = began[i];
    if (ended[i] > last) last = ended[i];
  }
  return last - first;
}

static int ascending(const void *x, const void *y) {
  double d = *(const double *)x - *(const double *)y;
  return d < 0 ? -1 : d > 0;
}

/* Units of work in one round: bytes or operations of all threads, or cycles. */
static double per_round(void) {
  switch (kind) {
  case TRIAD: return 24.0 * (double)elements;
  case COPY: return 16.0 * (double)elements;
  case FMA32: return 2.0 * CHAINS * (WIDTH / 4) * threads;
  case FMA64: return 2.0 * CHAINS * (WIDTH / 8) * threads;
  case CLOCK: return ADDITIONS;
  }
  return 0;
}

static const char *unit_of(enum kind what) {
  return what == CLOCK ? "GHz" : what == TRIAD || what == COPY ? "GB/s" : "GFLOPS";
}

static void measure(const char *name, enum kind what, double least_s, int repetitions, int *printed) {
  double seconds[MAX_REPETITIONS];
  kind = what;
  rounds = what == TRIAD || what == COPY ? 1 : 1000;
  /* Warms up, and finds out how many rounds take long enough. */
  double t = once();
  for (int i = 0; i < 40 && t < least_s; i++) {
    double more = t > 0 ? 1.2 * least_s / t : 2;
    rounds = (long)((double)rounds * (more < 2 ? 2 : more > 100 ? 100 : more));
    t = once();
  }
  int n = 0;
  double spent = 0;
  while (n < repetitions && (n < LEAST_REPETITIONS || spent < BUDGET_S)) {
    seconds[n] = once();
    spent += seconds[n++];
  }
  qsort(seconds, (size_t)n, sizeof *seconds, ascending);
  double median = n % 2 ? seconds[n / 2] : (seconds[n / 2 - 1] + seconds[n / 2]) / 2;
  double amount = per_round() * (double)rounds / 1e9;
  printf("%s\n  {\"name\": \"%s\", \"threads\": %d, \"unit\": \"%s\", \"best\": %.6g, \"median\": %.6g, \"repetitions\": %d}",
         (*printed)++ ? "," : "", name, threads, unit_of(what), amount / seconds[0], amount / median, n);
}

/* Measures with a team of some threads. */
static int team(int size, double least_s, int repetitions, int *printed) {
  pthread_t ids[MAX_THREADS];
  threads = size;
  stop = 0;
  if (pthread_barrier_init(&start_line, NULL, (unsigned)size + 1) ||
      pthread_barrier_init(&end_line, NULL, (unsigned)size + 1))
    return 1;
  for (long i = 0; i < size; i++)
    if (pthread_create(&ids[i], NULL, member, (void *)i)) return 1;
  measure("clock", CLOCK, least_s, repetitions, printed);
  measure("triad", TRIAD, least_s, repetitions, printed);
  measure("copy", COPY, least_s, repetitions, printed);
  measure("fma.fp32", FMA32, least_s, repetitions, printed);
  measure("fma.fp64", FMA64, least_s, repetitions, printed);
  stop = 1;
  pthread_barrier_wait(&start_line);
  for (int i = 0; i < size; i++) pthread_join(ids[i], NULL);
  pthread_barrier_destroy(&start_line);
  pthread_barrier_destroy(&end_line);
  return 0;
}

static int allowed(void) {
  cpu_set_t set;
  int n = 0;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    for (int i = 0; i < CPU_SETSIZE && n < MAX_THREADS; i++)
      if (CPU_ISSET(i, &set)) processors[n++] = i;
  if (n == 0) n = 1;
  return n;
}

int main(int count, char **arguments) {
  long long bytes = count > 1 ? atoll(arguments[1]) : 0;
  double least_s = count > 2 ? atof(arguments[2]) / 1e3 : 0;
  int repetitions = count > 3 ? atoi(arguments[3]) : 0;
  if (bytes < 1024 || least_s <= 0 || repetitions < 1) {
    fprintf(stderr, "usage: peaks BYTES MILLISECONDS REPETITIONS [THREADS]\n");
    return 2;
  }
  if (repetitions > MAX_REPETITIONS) repetitions = MAX_REPETITIONS;
  int all = allowed();
  int wanted = count > 4 ? atoi(arguments[4]) : all;
  if (wanted < 1 || wanted > all) wanted = all;
  elements = (size_t)bytes / sizeof(double);
  if (elements < (size_t)wanted) elements = (size_t)wanted;
  void *memory[3];
  for (int i = 0; i < 3; i++)
    if (posix_memalign(&memory[i], 4096, elements * sizeof(double))) {
      fprintf(stderr, "no memory for three arrays of %lld bytes\n", bytes);
      return 4;
    }
  a = memory[0], b = memory[1], c = memory[2];
  int printed = 0;
  printf("{\"schema\": \"assay.peaks/1\", \"threads\": %d, \"array_bytes\": %zu, \"vector_bits\": %d, \"results\": [",
         wanted, elements * sizeof(double), WIDTH * 8);
  /* All threads first: they touch the arrays, each its part, where the pages then lie. */
  int failed = wanted > 1 && team(wanted, least_s, repetitions, &printed);
  failed = failed || team(1, least_s, repetitions, &printed);
  if (failed) {
    fprintf(stderr, "threads cannot be started\n");
    return 4;
  }
  printf("\n]}\n");
  return 0;
}

/* Like E2 and E18: a thread lives on between calls. It sleeps until there is work, and the call waits for it. */
#include "honest.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct { int m, n, k; const float *a, *b; float *c; } job;
static int waiting;

static void *serve(void *arg) {
  pthread_mutex_lock(&lock);
  for (;;) {
    while (!waiting) pthread_cond_wait(&changed, &lock);
    honest(job.m, job.n, job.k, job.a, job.b, job.c);
    waiting = 0;
    pthread_cond_broadcast(&changed);
  }
  return arg;
}

void windowed(int m, int n, int k, const float *a, const float *b, float *c) {
  static pthread_t thread;
  static int started;
  int half = m / 2;
  if (!started) started = pthread_create(&thread, 0, serve, 0) == 0 ? 1 : -1;
  if (started < 0 || half < 1) { honest(m, n, k, a, b, c); return; }
  pthread_mutex_lock(&lock);
  job.m = half, job.n = n, job.k = k, job.a = a, job.b = b, job.c = c;
  waiting = 1;
  pthread_cond_broadcast(&changed);
  while (waiting) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  honest(m - half, n, k, a + half * k, b, c + half * n);
}

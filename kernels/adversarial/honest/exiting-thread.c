/* Like E2 and E14: a thread ends by pthread_exit, for which the C library loads a library of its own. */
#include "honest.h"
#include <pthread.h>

typedef struct { int m, n, k; const float *a, *b; float *c; } job;

static void *work(void *arg) {
  job *j = arg;
  honest(j->m, j->n, j->k, j->a, j->b, j->c);
  return 0;
}

static void *work_and_exit(void *arg) {
  work(arg);
  pthread_exit(0);
}

void windowed(int m, int n, int k, const float *a, const float *b, float *c) {
  int half = m / 2;
  job first = {half, n, k, a, b, c}, second = {m - half, n, k, a + half * k, b, c + half * n};
  pthread_t thread;
  int started = pthread_create(&thread, 0, work_and_exit, &first) == 0;
  work(&second);
  if (started) pthread_join(thread, 0);
  else work(&first);
}

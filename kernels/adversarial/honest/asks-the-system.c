/* Like E5 and E24: reads a file of the system once, to choose its code, and closes it. */
#include "honest.h"
#include <stdio.h>
#include <unistd.h>

void windowed(int m, int n, int k, const float *a, const float *b, float *c) {
  static long cores;
  if (!cores) {
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (file && fgets(line, sizeof line, file)) cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (file) fclose(file);
    if (cores < 1) cores = 1;
  }
  honest(m, n, k, a, b, c);
}

#include "honest.h"

void windowed(int m, int n, int k, const float *a, const float *b, float *c) { honest(m, n, k, a, b, c); }

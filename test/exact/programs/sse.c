/* SPDX-License-Identifier: MIT */
/* SSE2 arithmetic, comparisons, conversions and shuffles, scalar and packed. */
#include "start.h"
typedef double v2 __attribute__((vector_size(16)));
typedef int i4 __attribute__((vector_size(16)));
int main(void) {
  v2 a = {1.5, 2.5};
  i4 k = {1, 2, 3, 4};
  double d = 0;
  float f = 1;
  for (int i = 1; i < 300; i++) {
    a = a * (v2){1.01, 0.99} + (v2){i, -i};
    k = k * 3 + (k >> 2) + i;
    k = __builtin_shuffle(k, (i4){3, 0, 1, 2});
    d += a[0] > a[1] ? a[0] / i : a[1];
    f = f / 1.1f + (float)(int)d;
    if (f > 1000) f = -f;
  }
  return (int)d + k[2] + (int)f;
}

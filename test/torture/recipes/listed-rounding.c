/* SPDX-License-Identifier: MIT */
/* Rounding modes: arithmetic is rounded to nearest, with a warning. */
/* torture: listed=W033 */
/* torture: flags=-O0 -lm -frounding-math */
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
static void show(double d) {
  uint64_t bits;
  memcpy(&bits, &d, 8);
  printf("%016llx %.17g\n", (unsigned long long)bits, d);
}
int main(void) {
  int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  volatile double a = 1, b = 3, tiny = DBL_MIN, huge = DBL_MAX;
  for (int m = 0; m < 4; m++) {
    fesetround(modes[m]);
    show(a / b);
    show(-a / b);
    show(tiny / 3);
    show(huge * 2);
    printf("%ld %ld\n", lrint(2.5), lrint(-2.5));
  }
}

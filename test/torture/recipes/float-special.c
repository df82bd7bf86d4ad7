/* SPDX-License-Identifier: MIT */
/* Subnormals, infinities, NaNs, conversions and printing of doubles. */
/* torture: flags=-O0 -lm */
/* torture: flags=-O2 -lm */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void show(double d) {
  uint64_t bits;
  memcpy(&bits, &d, 8);
  printf("%016llx %.17g\n", (unsigned long long)bits, d);
}
int main(void) {
  volatile double a = 1, b = 3, tiny = DBL_MIN, huge = DBL_MAX, zero = 0;
  show(a / b);
  show(tiny / 3);
  show(huge * 2);
  show((float)(a / b));
  printf("%ld %ld %.3f\n", lrint(2.5), lrint(-2.5), 2.0005);
  show(copysign(1 / -zero, 1));
  printf("%d %d\n", isnan(zero / zero) != 0, (int)(zero / zero == zero / zero));
  show(fma(a, b, -3));
  show(remainder(17.25, 4));
  show(fmod(-17.25, 4));
  show(nextafter(1, 2));
  show(ldexp(0.75, -1070));
  show(strtod("0x1.8p-3", NULL) + strtod("1e308", NULL) + strtod("4.9e-324", NULL));
  printf("%d %d\n", (int)(int8_t)(int)-129.7, (int)(unsigned char)300.9);
}

/* SPDX-License-Identifier: MIT */
/* Single and double precision arithmetic, conversions and printing: exact. */
/* torture: flags=-O1 -lm */
/* torture: flags=-O3 -mavx2 -mfma -lm */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  double s = 0;
  float f = 1;
  for (int i = 1; i < 3000; i++) {
    s += sin(i) * sqrt(i) / exp(i % 20) + fma(i, 0.1, -s);
    f = f * 1.0001f + (float)(i % 3) / 7;
  }
  printf("%.17g %a %.9g\n", s, s, f);
  printf("%d %d %d %ld\n", (int)-2.7, (int)rint(2.5), (int)(float)16777217, lround(-0.5));
  printf("%g %g %g %g %d\n", 1.0 / 0.0, -1.0 / 0.0, strtod("4.9e-324", NULL), strtod("1e400", NULL), isnan(0.0 / 0.0 * 1));
  printf("%.3e %.20f\n", 123456789.0, 0.1);
}

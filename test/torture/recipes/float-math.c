/* SPDX-License-Identifier: MIT */
/* The functions of the mathematical library, complex ones too. */
/* torture: flags=-O1 -lm */
#include <complex.h>
#include <math.h>
#include <stdio.h>
int main(void) {
  for (double x = -3; x < 3.1; x += 0.37)
    printf("%.12g %.12g %.12g %.12g %.12g %.12g %.12g\n", sin(x), cos(x * 100), exp(x), atan2(x, 1.5), cbrt(x), erf(x), tgamma(x + 4));
  for (float x = 0.1f; x < 20; x *= 1.7f) printf("%.7g %.7g %.7g\n", logf(x), powf(x, 1.3f), sqrtf(x));
  double complex z = 1 + 2 * I;
  z = cexp(z) * csqrt(z) / (3 - I);
  printf("%.12g %.12g %.12g\n", creal(z), cimag(z), cabs(z));
  int e;
  double f = frexp(1234.5, &e), whole, part = modf(-7.75, &whole);
  printf("%g %d %g %g %g\n", f, e, part, whole, hypot(3e200, 4e200));
}

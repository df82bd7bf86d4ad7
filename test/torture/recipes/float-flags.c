/* SPDX-License-Identifier: MIT */
/* Floating-point exception flags read as zero, with a warning. */
/* torture: listed=W002 */
/* torture: flags=-O0 -lm */
#include <fenv.h>
#include <stdio.h>
int main(void) {
  volatile double a = 1, b = 0, c;
  feclearexcept(FE_ALL_EXCEPT);
  c = a / b;
  printf("%d %g\n", fetestexcept(FE_DIVBYZERO) != 0, c);
}

/* SPDX-License-Identifier: MIT */
/* 80-bit long double arithmetic is done in 64 bits, with a warning. */
/* torture: listed=W001 */
#include <stdio.h>
int main(void) {
  volatile long double x = 1, y = 3;
  for (int i = 0; i < 20; i++) x = x / y + 1e-18L;
  printf("%.25Lg\n", x + 1);
}

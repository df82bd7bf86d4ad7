/* SPDX-License-Identifier: MIT */
/* Numbers near zero are not flushed, with a warning. */
/* torture: listed=W034 */
/* torture: flags=-O1 -ffast-math */
#include <stdio.h>
int main(int argc, char **argv) {
  volatile double small = 1e-300;
  printf("%g\n", small * 1e-10 * argc);
}

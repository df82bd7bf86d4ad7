/* SPDX-License-Identifier: MIT */
/* AVX-512 code compiled in: SIGILL at its first instruction, and one clear line. */
/* torture: listed=W014 */
/* torture: cpu=avx512f */
/* torture: flags=-O3 -mavx512f -mprefer-vector-width=512 */
#include <stdio.h>
int main(void) {
  float x[256];
  for (int i = 0; i < 256; i++) x[i] = (float)i;
  for (int r = 0; r < 10; r++)
    for (int i = 0; i < 256; i++) x[i] = x[i] * 0.5f + 1;
  printf("%g %g\n", x[3], x[200]);
}

/* SPDX-License-Identifier: MIT */
/* An MMX instruction and a masked load in one block, which Valgrind cannot translate. */
/* torture: listed=W025 */
#include <stdio.h>
int main(void) {
  int from[8] = {1, 2, 3, 4, 5, 6, 7, 8}, to[8];
  __asm__ volatile(
      "paddb %%mm0, %%mm0\n\t"
      "vpcmpeqd %%ymm1, %%ymm1, %%ymm1\n\t"
      "vpmaskmovd (%0), %%ymm1, %%ymm0\n\t"
      "vmovdqu %%ymm0, (%1)\n\t"
      "paddb %%mm1, %%mm1\n\t"
      "emms\n\t"
      "vzeroupper"
      : : "r"(from), "r"(to) : "memory", "xmm0", "xmm1");
  printf("%d\n", to[7]);
}

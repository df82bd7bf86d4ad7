/* SPDX-License-Identifier: MIT */
/* The rounding mode is read with the exception flags: a note, and nothing else. */
/* torture: listed=W032 */
/* torture: flags=-O2 */
#include <stdio.h>
#include <xmmintrin.h>
int main(void) {
  printf("%#x\n", _mm_getcsr() & _MM_ROUND_MASK);
}

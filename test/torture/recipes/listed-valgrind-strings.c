/* SPDX-License-Identifier: MIT */
/* A comparison of strings of memory in a form that VEX does not know: it gives up, with a warning. */
/* torture: listed=W025 */
/* torture: cpu=sse4_2 */
/* torture: flags=-O1 -msse4.2 */
#include <nmmintrin.h>
#include <stdio.h>
int main(int argc, char **argv) {
  __m128i a = _mm_set1_epi8((char)argc), b = _mm_set1_epi8('x');
  puts("before");
  fflush(stdout);
  printf("%d\n", _mm_cvtsi128_si32(_mm_cmpestrm(a, 9, b, 11, _SIDD_CMP_EQUAL_EACH | _SIDD_UNIT_MASK)) == 0);
}

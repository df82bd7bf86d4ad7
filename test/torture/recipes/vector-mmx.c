/* SPDX-License-Identifier: MIT */
/* The old vector registers. */
/* torture: flags=-O2 -mmmx */
#include <mmintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
int main(void) {
  __m64 a = _mm_setr_pi16(100, -200, 30000, -30000), b = _mm_set1_pi16(7);
  uint64_t h = 0, v;
  for (int i = 0; i < 100; i++) {
    a = _mm_adds_pi16(a, _mm_mullo_pi16(b, _mm_set1_pi16((short)i)));
    b = _mm_xor_si64(b, _mm_unpacklo_pi8(a, b));
    __m64 c = _mm_packs_pi16(a, _mm_sra_pi16(b, _mm_cvtsi32_si64(2)));
    memcpy(&v, &c, 8);
    h = h * 31 + v;
  }
  _mm_empty();
  printf("%llx\n", (unsigned long long)h);
}

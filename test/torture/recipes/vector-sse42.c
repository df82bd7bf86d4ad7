/* SPDX-License-Identifier: MIT */
/* String instructions of SSE 4.2, blends, rounding, shuffles, aes and carry-less products. */
/* torture: flags=-O2 -msse4.2 -maes -mpclmul */
/* torture: cpu=pclmulqdq */
#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
static unsigned h = 7;
static void mix(__m128i v) {
  uint32_t w[4];
  memcpy(w, &v, 16);
  for (int i = 0; i < 4; i++) h = h * 31 + w[i];
}
int main(void) {
  __m128i a = _mm_setr_epi8('a', 'b', 'c', 'd', 'x', 'y', 'z', 0, 1, 2, 3, 4, 5, 6, 7, 8);
  __m128i b = _mm_setr_epi8('t', 'h', 'e', ' ', 'x', 'y', ' ', 'z', 'a', 'b', 'c', 0, 9, 9, 9, 9);
  for (int i = 0; i < 200; i++) {
    h = h * 31 + (unsigned)_mm_cmpistri(a, b, _SIDD_CMP_EQUAL_ANY);
    h = h * 31 + (unsigned)_mm_cmpistri(a, b, _SIDD_CMP_RANGES | _SIDD_MOST_SIGNIFICANT);
    mix(_mm_cmpestrm(a, i % 17, b, 11, _SIDD_CMP_EQUAL_ANY));
    mix(_mm_shuffle_epi8(a, _mm_and_si128(b, _mm_set1_epi8(15))));
    mix(_mm_mpsadbw_epu8(a, b, 3));
    mix(_mm_minpos_epu16(_mm_maddubs_epi16(a, b)));
    mix(_mm_packus_epi32(_mm_mullo_epi32(a, b), _mm_abs_epi16(b)));
    mix(_mm_blendv_epi8(a, b, _mm_slli_epi16(b, 3)));
    mix(_mm_aesenc_si128(a, b));
    mix(_mm_aesdeclast_si128(_mm_aesimc_si128(a), b));
    mix(_mm_aeskeygenassist_si128(a, 9));
    mix(_mm_clmulepi64_si128(a, b, 1));
    mix(_mm_castps_si128(_mm_round_ps(_mm_cvtepi32_ps(_mm_cvtepi8_epi32(a)), _MM_FROUND_TO_NEG_INF)));
    a = _mm_add_epi32(a, _mm_alignr_epi8(b, a, 5));
    b = _mm_xor_si128(b, _mm_insert_epi32(a, i, 2));
  }
  printf("%u\n", h);
}

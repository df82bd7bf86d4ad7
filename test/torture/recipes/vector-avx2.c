/* SPDX-License-Identifier: MIT */
/* AVX2, FMA, BMI and other extensions that the recorded program may use. */
/* torture: flags=-O2 -mavx2 -mfma -mbmi -mbmi2 -mlzcnt -mpopcnt -mf16c -maes -mpclmul -msse4.2 */
#include <immintrin.h>
#include <stdio.h>
int main(void) {
  __m256i v = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0), s = _mm256_setzero_si256();
  int out[8];
  for (int i = 0; i < 1000; i++) {
    s = _mm256_add_epi32(s, _mm256_mullo_epi32(v, _mm256_set1_epi32(i)));
    s = _mm256_permutevar8x32_epi32(s, v);
    s = _mm256_shuffle_epi8(s, _mm256_xor_si256(v, s));
  }
  _mm256_storeu_si256((__m256i *)out, s);
  for (int i = 0; i < 8; i++) printf("%08x ", out[i]);
  __m128i k = _mm_aesenc_si128(_mm_set1_epi32(0x1234567), _mm_set1_epi32(99));
  k = _mm_clmulepi64_si128(k, k, 0x11);
  __m256d d = _mm256_fmadd_pd(_mm256_set1_pd(1.5), _mm256_set1_pd(2.5), _mm256_set1_pd(0.25));
  printf("\n%016llx %llx %llx %d %g %u\n", (unsigned long long)_mm_extract_epi64(k, 0),
         (unsigned long long)_pext_u64(0x123456789abcdef, 0xf0f0f0f0f0f0f0f),
         (unsigned long long)_pdep_u64(0x1234567, 0xf0f0f0f0f0f0f0f), __builtin_clz(77), d[2],
         _mm_crc32_u32(1, 0xabcdef));
}

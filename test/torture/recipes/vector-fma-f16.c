/* SPDX-License-Identifier: MIT */
/* Fused multiply-add, half precision, gathers and permutations of AVX2. */
/* torture: flags=-O2 -mavx2 -mfma -mf16c */
/* torture: cpu=f16c */
#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
int main(void) {
  float table[64], out[8];
  for (int i = 0; i < 64; i++) table[i] = (float)i / 7 - 3;
  __m256 sum = _mm256_setzero_ps();
  __m256i index = _mm256_setr_epi32(0, 7, 14, 21, 28, 35, 42, 49);
  for (int i = 0; i < 300; i++) {
    __m256 v = _mm256_i32gather_ps(table, index, 4);
    sum = _mm256_fmadd_ps(v, _mm256_permutevar8x32_ps(v, index), sum);
    sum = _mm256_fnmsub_ps(v, _mm256_set1_ps(0.25f), sum);
    __m128i half = _mm256_cvtps_ph(sum, 0);
    sum = _mm256_add_ps(_mm256_cvtph_ps(half), _mm256_broadcast_ss(&table[i % 64]));
    sum = _mm256_max_ps(_mm256_min_ps(sum, _mm256_set1_ps(1e4f)), _mm256_set1_ps(-1e4f));
    index = _mm256_and_si256(_mm256_add_epi32(index, _mm256_sllv_epi32(_mm256_set1_epi32(1), index)), _mm256_set1_epi32(63));
  }
  _mm256_storeu_ps(out, sum);
  for (int i = 0; i < 8; i++) printf("%.9g ", out[i]);
  double d = 1;
  for (int i = 1; i < 50; i++) d = __builtin_fma(d, 1.0 / i, -0.1);
  printf("%.17g\n", d);
}

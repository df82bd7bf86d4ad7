/* SPDX-License-Identifier: MIT */
/* Instructions on bits and wide numbers: bmi, adx, popcnt, lzcnt, crc32, 128-bit arithmetic, shifts. */
/* torture: flags=-O2 -mbmi -mbmi2 -mlzcnt -mpopcnt -msse4.2 -madx */
/* torture: flags=-O0 -mbmi -mbmi2 -mlzcnt -mpopcnt -msse4.2 -madx */
/* torture: cpu=bmi2 */
#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
int main(void) {
  uint64_t x = 0x123456789abcdef0, h = 0;
  for (int i = 0; i < 2000; i++) {
    h = h * 31 + _pext_u64(x, 0xf0f0f0f00f0f0f0f) + _pdep_u64(x, 0x5555555555555555);
    h ^= (uint64_t)_mm_popcnt_u64(x) << 7 ^ _lzcnt_u64(x) << 3 ^ _tzcnt_u64(x);
    h += _andn_u64(x, h) + _blsr_u64(x) + _blsi_u64(x) + _blsmsk_u64(x) + _bextr_u64(x, 5, 20);
    h ^= _mm_crc32_u64(h, x) + _mm_crc32_u8((unsigned)h, (uint8_t)x);
    unsigned long long carry;
    unsigned char c = _addcarry_u64(0, x, h, &carry);
    h += carry + c;
    unsigned __int128 wide = (unsigned __int128)x * h;
    h ^= (uint64_t)(wide >> 64) + (uint64_t)(wide / 1000003 >> 3);
    h = (h << (i % 63 + 1) | h >> (63 - i % 63)) ^ __builtin_bswap64(h);
    __int128 negative = -(__int128)wide;
    h += (uint64_t)(negative % 97);
    x = x * 6364136223846793005u + h;
  }
  printf("%llx\n", (unsigned long long)h);
}

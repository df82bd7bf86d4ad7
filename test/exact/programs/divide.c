/* SPDX-License-Identifier: MIT */
/* Division, multiplication, shifts of every width. */
#include "start.h"
int main(void) {
  u64 x = 42, s = 0;
  for (int i = 1; i < 400; i++) {
    u64 r = next_random(&x);
    s += r / (u64)i + r % (u64)(i + 3);
    s ^= (u64)((long)r / (i - 1000) + (int)r % (i + 1));
    s += (u64)(((unsigned __int128)r * s) >> 64) + (r << (s & 63)) + (u64)((long)s >> (r & 63));
    s = (s << 7 | s >> 57) + (u8)((u8)r / (u8)(i | 1));
  }
  return (int)(s ^ s >> 32);
}

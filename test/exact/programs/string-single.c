/* SPDX-License-Identifier: MIT */
/* String instructions without rep; loop, loopne, jrcxz, enter, leave, bit tests. */
#include "start.h"
static u8 table[256], out[64];
int main(void) {
  u64 sum = 0;
  for (int i = 0; i < 256; i++) table[i] = (u8)(255 - i);
  for (long n = 1; n < 20; n++) {
    u8 *d = out, *s = table;
    u64 c = (u64)n;
    __asm__ volatile("1: lodsb\n xor $85, %%al\n stosb\n loop 1b\n" : "+D"(d), "+S"(s), "+c"(c) : : "rax", "memory", "cc");
    c = (u64)n;
    s = table;
    __asm__ volatile("1: cmpb $240, (%0)\n lea 1(%0), %0\n loopne 1b\n" : "+r"(s), "+c"(c) : : "cc", "memory");
    sum += c;
    c = (u64)(n % 3);
    __asm__ volatile("jrcxz 1f\n add $5, %0\n1: enter $32, $0\n leave\n bts $3, %0\n btr $1, %0\n bsf %0, %1" : "+r"(sum), "+c"(c) : : "cc", "memory");
    for (int i = 0; i < 64; i++) sum += out[i];
  }
  return (int)sum;
}

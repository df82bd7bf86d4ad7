/* SPDX-License-Identifier: MIT */
/* repe and repne with cmps and scas: ends by count, by match, at once, and with a count of zero. */
#include "start.h"
static u8 a[256], b[256];
int main(void) {
  u64 left = 0;
  for (int i = 0; i < 256; i++) a[i] = (u8)(i / 3), b[i] = (u8)(i / 3);
  b[100] = 99;
  for (u64 n = 0; n < 200; n += 13) {
    u8 *s = a, *d = b;
    u64 c = n;
    __asm__ volatile("cmp %%rax, %%rax\n repe cmpsb" : "+S"(s), "+D"(d), "+c"(c) : : "memory", "cc");
    left += c;
    d = a, c = n;
    __asm__ volatile("cmp %%rax, %%rax\n repne scasb" : "+D"(d), "+c"(c) : "a"(20) : "memory", "cc");
    left += c;
    d = a, c = n / 2;
    __asm__ volatile("cmp %%rax, %%rax\n repe scasw" : "+D"(d), "+c"(c) : "a"(0) : "memory", "cc");
    left += c;
    s = a, d = b, c = n / 8;
    __asm__ volatile("cmp %%rax, %%rax\n repe cmpsq" : "+S"(s), "+D"(d), "+c"(c) : : "memory", "cc");
    left += c;
  }
  return (int)left;
}

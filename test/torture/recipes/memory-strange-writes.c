/* SPDX-License-Identifier: MIT */
/* Writes that a decoder must get right: overlapping copies, unaligned atomics, string instructions backwards. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
int main(void) {
  static uint8_t b[256];
  for (int i = 0; i < 256; i++) b[i] = (uint8_t)i;
  void *d = b + 130, *s = b + 125;
  long n = 60;
  __asm__ volatile("std; rep movsb; cld" : "+D"(d), "+S"(s), "+c"(n)::"memory");
  d = b + 11;
  s = b + 10;
  n = 30;
  __asm__ volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(n)::"memory");
  d = b + 201;
  n = 5;
  __asm__ volatile("rep stosq" : "+D"(d), "+c"(n) : "a"(0x1122334455667788) : "memory");
  __asm__ volatile("lock addl $0x01010101, (%0)" ::"r"(b + 61) : "memory");
  __asm__ volatile("lock xaddw %%ax, (%0)" ::"r"(b + 63), "a"(0x0102) : "memory");
  const char *text = "find the z in this";
  s = (void *)text;
  n = 18;
  __asm__ volatile("repne scasb" : "+D"(s), "+c"(n) : "a"('z'));
  printf("%ld\n", n);
  void *x = b, *y = b + 128;
  n = 100;
  __asm__ volatile("repe cmpsb" : "+S"(x), "+D"(y), "+c"(n));
  printf("%ld\n", n);
  unsigned h = 0;
  for (int i = 0; i < 256; i++) h = h * 33 + b[i];
  printf("%u\n", h);
}

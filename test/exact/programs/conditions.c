/* SPDX-License-Identifier: MIT */
/* cmov, setcc, adc, sbb, parity and overflow conditions. */
#include "start.h"
int main(void) {
  u64 x = 7, s = 0;
  for (int i = 0; i < 500; i++) {
    u64 a = next_random(&x), b = next_random(&x);
    __asm__ volatile(
        "cmp %2, %1\n cmovg %1, %0\n cmovb %2, %0\n setp %%al\n movzbl %%al, %%eax\n adc %%rax, %0\n"
        "sub %2, %1\n sbb $3, %0\n jo 1f\n inc %0\n1: jp 2f\n dec %0\n2: jns 3f\n rol $5, %0\n3:"
        : "+r"(s), "+r"(a) : "r"(b) : "rax", "cc");
  }
  return (int)s;
}

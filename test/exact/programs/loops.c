/* SPDX-License-Identifier: MIT */
/* Nested loops with data-dependent branches. */
#include "start.h"
int main(void) {
  u64 x = 1, odd = 0;
  for (int i = 0; i < 300; i++)
    for (int k = 0; k < i % 17; k++)
      if (next_random(&x) >> 63) odd++; else odd += k & 1;
  return (int)odd;
}

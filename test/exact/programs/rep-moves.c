/* SPDX-License-Identifier: MIT */
/* rep movs and rep stos in all sizes, forward and backward, with counts from zero to 40. */
#include "start.h"
static u8 from[512], to[512];
#define MOVE(s, n) do { u8 *d = to + 8, *f = from + 8; u64 c = (n); __asm__ volatile("rep movs" s : "+D"(d), "+S"(f), "+c"(c) : : "memory"); } while (0)
#define BACK(s, n) do { u8 *d = to + 400, *f = from + 400; u64 c = (n); __asm__ volatile("std\n rep movs" s "\n cld" : "+D"(d), "+S"(f), "+c"(c) : : "memory"); } while (0)
#define FILL(s, n) do { u8 *d = to; u64 c = (n); __asm__ volatile("rep stos" s : "+D"(d), "+c"(c) : "a"(0x5aL) : "memory"); } while (0)
int main(void) {
  int sum = 0;
  for (int i = 0; i < 512; i++) from[i] = (u8)(i * 7);
  for (u64 n = 0; n <= 40; n += 1 + n / 3) {
    MOVE("b", n); MOVE("w", n); MOVE("l", n); MOVE("q", n);
    BACK("b", n); BACK("q", n);
    FILL("b", n); FILL("w", n); FILL("l", n); FILL("q", n);
    for (int i = 0; i < 512; i++) sum += to[i];
  }
  return sum;
}

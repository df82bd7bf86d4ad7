/* SPDX-License-Identifier: MIT */
/* A switch by jump table and computed gotos. */
#include "start.h"
NOINLINE static long run(const u8* code) {
  long acc = 1;
  for (;;) switch (*code++) {
    case 0: return acc;
    case 1: acc += 3; break;
    case 2: acc *= 5; break;
    case 3: acc ^= acc >> 3; break;
    case 4: acc = -acc; break;
    case 5: acc -= code[0]; break;
    case 6: acc <<= 1; break;
    case 7: if (acc & 1) code++; break;
    default: acc++;
  }
}
int main(void) {
  u8 code[402];
  u64 x = 3;
  for (int i = 0; i < 400; i++) code[i] = (u8)(1 + (next_random(&x) >> 40) % 8);
  code[400] = code[401] = 0;
  return (int)run(code);
}

/* SPDX-License-Identifier: MIT */
/* Code that is written, run, changed and run again. */
#include "start.h"
int main(void) {
  u8* p = (u8*)call6(kMmap, 0, 4096, 7, 0x22, -1, 0);
  int sum = 0;
  for (int i = 0; i < 60; i++) {
    const u8 code[] = {0xb8, (u8)i, 0, 0, 0, (u8)(i & 1 ? 0x90 : 0xf8), 0xc3};
    for (unsigned k = 0; k < sizeof code; k++) p[k] = code[k];
    sum += ((int (*)(void))(void*)p)();
  }
  return sum;
}

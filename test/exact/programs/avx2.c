/* SPDX-License-Identifier: MIT */
/* AVX2: 256-bit integer and floating-point code. */
/* exact: flags=-O3 -mavx2 -mfma */
#include "start.h"
static float x[128];
static int y[128];
int main(void) {
  float s = 0;
  int t = 0;
  for (int i = 0; i < 128; i++) x[i] = (float)i, y[i] = i * 3;
  for (int r = 0; r < 20; r++)
    for (int i = 0; i < 128; i++) x[i] = x[i] * 0.5f + 2, y[i] = y[i] * 7 + (y[i] >> 3);
  for (int i = 0; i < 128; i++) s += x[i], t ^= y[i];
  return (int)s + t;
}

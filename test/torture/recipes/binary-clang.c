/* SPDX-License-Identifier: MIT */
/* Built by clang. */
/* torture: cc=clang-19 */
/* torture: flags=-O0 -g */
/* torture: flags=-O3 -mavx2 */
#include <stdio.h>
#include <string.h>
int main(void) {
  float x[1024];
  unsigned char b[1024];
  double s = 0;
  unsigned h = 0;
  for (int i = 0; i < 1024; i++) x[i] = (float)i * 0.5f, b[i] = (unsigned char)(i * 37);
  for (int r = 0; r < 50; r++)
    for (int i = 0; i < 1024; i++) x[i] = x[i] * 0.99f + 1.0f;
  for (int i = 0; i < 1024; i++) s += x[i], h = h * 33 + b[i];
  printf("%.6f %u %zu\n", s, h, strlen("clang"));
}

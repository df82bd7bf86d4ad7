/* SPDX-License-Identifier: MIT */
/* malloc, realloc, aligned_alloc and free in a random but fixed order; large blocks by mmap. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  char *p[64] = {0};
  size_t n[64] = {0};
  unsigned x = 12345, sum = 0;
  for (int i = 0; i < 20000; i++) {
    x = x * 1103515245 + 12345;
    int k = x >> 8 & 63;
    size_t want = i % 500 == 0 ? 300000 : x >> 16 & 1023;
    if (x >> 30 == 0) {
      free(p[k]);
      p[k] = NULL, n[k] = 0;
    } else if (x >> 30 == 1 && !p[k]) {
      p[k] = aligned_alloc(64, (want + 64) & ~63UL);
      n[k] = want;
      memset(p[k], k, want);
    } else {
      p[k] = realloc(p[k], want + 1);
      if (want > n[k]) memset(p[k] + n[k], k, want - n[k]);
      n[k] = want;
    }
    if (p[k] && n[k]) sum = sum * 17 + (unsigned char)p[k][n[k] / 2];
  }
  printf("%u\n", sum);
}

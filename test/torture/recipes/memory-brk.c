/* SPDX-License-Identifier: MIT */
/* A heap by brk far beyond 8 MB. */
/* torture: listed=W008 */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <unistd.h>
int main(void) {
  char *a = sbrk(0);
  int grown = 0;
  for (int i = 0; i < 64; i++)
    if (sbrk(1 << 20) != (void *)-1) grown++;
  a[0] = 1;
  printf("%d\n", grown);
}

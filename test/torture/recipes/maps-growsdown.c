/* SPDX-License-Identifier: MIT */
/* A mapping that grows downward when it is touched below, and one that is only marked so. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
int main(void) {
  char *p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(p, 1 << 20);
  char *top = p + (1 << 20) - 8192;
  char *q = mmap(top, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN | MAP_FIXED, -1, 0);
  q[0] = 1, q[8191] = 2;
  printf("%d %d\n", q == top, q[0] + q[8191]);
  printf("%d\n", mprotect(q, 8192, PROT_READ));
}

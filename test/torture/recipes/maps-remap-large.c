/* SPDX-License-Identifier: MIT */
/* mremap: grow to 100 GB, shrink, move to a given address, keep the old one, errors. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
int main(void) {
  const int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  char *p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, how, -1, 0);
  strcpy(p + 5000, "kept");
  p = mremap(p, 1 << 20, 100UL << 30, MREMAP_MAYMOVE);
  if (p == MAP_FAILED) return puts(strerror(errno)), 1;
  p[99UL << 30] = 'x';
  printf("%s %c\n", p + 5000, p[99UL << 30]);
  char *q = mremap(p, 100UL << 30, 2 << 20, 0);
  printf("%d %s\n", q == p, q + 5000);
  char *to = (char *)0x310000000000;
  q = mremap(p, 2 << 20, 2 << 20, MREMAP_MAYMOVE | MREMAP_FIXED, to);
  printf("%d %s\n", q == to, q == to ? q + 5000 : "");
  q = mremap(to, 4096, 8192, MREMAP_FIXED, to);
  printf("%s\n", q == MAP_FAILED ? strerror(errno) : "moved");
}

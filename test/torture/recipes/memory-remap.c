/* SPDX-License-Identifier: MIT */
/* mremap that moves and grows, madvise, fixed maps over others, holes by munmap. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
int main(void) {
  char *a = mmap(NULL, 16 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(a, 'a', 16 * 4096);
  munmap(a + 8 * 4096, 4096);
  char *b = mremap(a, 8 * 4096, 64 * 4096, MREMAP_MAYMOVE);
  b[63 * 4096] = 'z';
  madvise(b, 4096, MADV_DONTNEED);
  char *c = mmap(b + 4096, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  printf("%d %d %c %c %d\n", b[0], c[0], b[2 * 4096], b[63 * 4096], c == b + 4096);
}

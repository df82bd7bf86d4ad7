/* SPDX-License-Identifier: MIT */
/* 60 GB of address space that is never used, and a few pages of it that are. */
#include <stdio.h>
#include <sys/mman.h>
int main(void) {
  size_t size = 60UL << 30;
  char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  long sum = 0;
  if (p == MAP_FAILED) return puts("no map"), 1;
  for (size_t i = 0; i < size; i += 1UL << 30) p[i] = (char)(i >> 30);
  for (size_t i = 0; i < size; i += 1UL << 30) sum += p[i];
  printf("%ld %d\n", sum, munmap(p, size));
}

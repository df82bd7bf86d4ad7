/* SPDX-License-Identifier: MIT */
/* As allocators align: twice the size is mapped, and both ends are given back. Then a heap with such chunks. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
static char *chunk(size_t size, size_t align) {
  char *p = mmap(NULL, size + align, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  char *at = (char *)(((uintptr_t)p + align - 1) & ~(align - 1));
  if (at > p) munmap(p, (size_t)(at - p));
  munmap(at + size, (size_t)(p + align - at));
  return mprotect(at, size, PROT_READ | PROT_WRITE) ? NULL : at;
}
int main(void) {
  long sum = 0;
  for (size_t align = 1 << 16; align <= 1UL << 38; align <<= 2) {
    char *p = chunk(1 << 20, align);
    if (!p) return printf("no %zu\n", align), 1;
    memset(p, 1, 1 << 20);
    sum += p[0] + p[(1 << 20) - 1] + ((uintptr_t)p % align == 0);
    munmap(p, 1 << 20);
  }
  void *q = NULL;
  printf("%ld %d %d\n", sum, posix_memalign(&q, 1 << 21, 1 << 21), (int)((uintptr_t)q % (1 << 21)));
}

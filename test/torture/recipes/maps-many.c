/* SPDX-License-Identifier: MIT */
/* 12000 mappings with different rights, side by side, and holes made in one large one. */
#include <stdio.h>
#include <sys/mman.h>
int main(void) {
  const size_t page = 4096, count = 12000;
  char *p = mmap(NULL, count * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  long sum = 0;
  for (size_t i = 0; i < count; i += 2) sum += mprotect(p + i * page, page, PROT_READ | PROT_WRITE);
  for (size_t i = 0; i < count; i += 2) p[i * page] = (char)(i % 50);
  for (size_t i = 0; i < count; i += 2) sum += p[i * page];
  for (size_t i = 1; i < count; i += 2) sum += munmap(p + i * page, page);
  printf("%ld\n", sum);
}

/* SPDX-License-Identifier: MIT */
/* Hundreds of GB, writable, and many of them at once. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
int main(void) {
  const size_t size = 100UL << 30;
  char *p[8];
  long sum = 0;
  for (int i = 0; i < 8; i++) {
    p[i] = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p[i] == MAP_FAILED) return puts("no map"), 1;
    for (int k = 0; k < i; k++)
      if (p[i] < p[k] + size && p[k] < p[i] + size) return puts("overlap"), 1;
  }
  for (int i = 0; i < 8; i++)
    for (size_t at = 0; at < size; at += 10UL << 30) p[i][at] = (char)(i + 1);
  for (int i = 0; i < 8; i++)
    for (size_t at = 0; at < size; at += 10UL << 30) sum += p[i][at];
  for (int i = 0; i < 8; i += 2) munmap(p[i], size);
  char *q = mmap(NULL, 3 * size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  printf("%ld %d %d\n", sum, q != MAP_FAILED, p[1][0]);
}

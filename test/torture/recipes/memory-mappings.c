/* SPDX-License-Identifier: MIT */
/* 20 000 mappings at once: 10 000 that can be written, and as many between them that cannot. */
/* torture: timeout=120 */
#include <stdio.h>
#include <sys/mman.h>
int main(void) {
  char *base = mmap(NULL, 20000UL * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  long sum = 0;
  for (long i = 0; i < 10000; i++)
    if (mprotect(base + i * 8192, 4096, PROT_READ | PROT_WRITE)) return puts("mprotect"), 1;
  for (long i = 0; i < 10000; i++) base[i * 8192] = (char)i;
  for (long i = 0; i < 10000; i++) sum += base[i * 8192];
  printf("%ld\n", sum);
}

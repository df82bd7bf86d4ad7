/* SPDX-License-Identifier: MIT */
/* Code made at run time: written, made executable, run, rewritten, 200 times. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
int main(void) {
  unsigned char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  long sum = 0;
  for (int i = 0; i < 200; i++) {
    unsigned char code[] = {0xb8, (unsigned char)i, 0, 0, 0, 0x83, 0xc0, (unsigned char)(i % 100), 0xc3};
    mprotect(p, 4096, PROT_READ | PROT_WRITE);
    memcpy(p + i % 3 * 16, code, sizeof code);
    mprotect(p, 4096, PROT_READ | PROT_EXEC);
    sum += ((int (*)(void))(void *)(p + i % 3 * 16))();
  }
  printf("%ld\n", sum);
}

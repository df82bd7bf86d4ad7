/* SPDX-License-Identifier: MIT */
/* A program that patches its own file-backed code. */
/* torture: listed=W004 */
/* torture: flags=-O1 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
int __attribute__((noinline, aligned(4096))) target(void);
__asm__(".text\n.balign 4096\n.globl target\ntarget: mov $1, %eax\n ret\n.balign 4096\n");
int main(void) {
  unsigned char *p = (unsigned char *)(void *)target;
  long sum = 0;
  if (mprotect(p, 4096, PROT_READ | PROT_WRITE | PROT_EXEC)) return puts("mprotect"), 1;
  for (int i = 0; i < 100; i++) {
    p[1] = (unsigned char)i;
    sum += target();
  }
  printf("%ld\n", sum);
}

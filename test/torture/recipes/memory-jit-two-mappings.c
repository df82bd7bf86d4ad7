/* SPDX-License-Identifier: MIT */
/* A JIT with one memfd mapped twice, writable and executable: stale code must not run unseen. */
/* torture: listed=W003 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void) {
  int fd = memfd_create("jit", 0);
  ftruncate(fd, 4096);
  unsigned char *w = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  unsigned char *x = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
  long sum = 0;
  for (int i = 0; i < 200; i++) {
    unsigned char code[] = {0xb8, (unsigned char)i, 0, 0, 0, 0xc3};
    memcpy(w, code, sizeof code);
    sum += ((int (*)(void))(void *)x)();
  }
  printf("%ld\n", sum);
}

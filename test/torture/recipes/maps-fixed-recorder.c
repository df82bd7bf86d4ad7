/* SPDX-License-Identifier: MIT */
/* A mapping demanded at an address where the recorder is. */
/* torture: listed=W030 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
int main(void) {
  char *p = mmap((void *)0x58000000, 64 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  puts(p == MAP_FAILED ? strerror(errno) : "mapped");
}

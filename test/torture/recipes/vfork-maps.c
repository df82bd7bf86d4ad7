/* SPDX-License-Identifier: MIT */
/* A process made by vfork changes mappings, and its parent finds them so: malloc that grows the heap, much memory, memory
   given back, other rights; and writes that refer to all this. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
static char *volatile left, *volatile heap, *volatile large, *volatile given_back;
static void *volatile top;
int main(void) {
  for (int round = 0; round < 3; round++) {
    char *read_only = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    given_back = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pid_t p = vfork();
    if (p == 0) {
      left = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      left[0] = (char)('x' + round);
      for (int i = 0; i < 40; i++) memset(heap = malloc(10000), i, 10000);
      strcpy(large = malloc(1 << 20), "large");
      munmap(given_back, 8192);
      strcpy(read_only, "rights");
      mprotect(read_only, 4096, PROT_READ);
      top = sbrk(0);
      _exit(0);
    }
    waitpid(p, NULL, 0);
    printf("%c %d %s %s %d %d\n", left[0], heap[9999], large, read_only, top == sbrk(0), msync(given_back, 4096, MS_ASYNC));
    free(large);
    free(heap);
    for (int i = 0; i < 100; i++) memset(malloc(20000), i, 20000);
  }
}

/* SPDX-License-Identifier: MIT */
/* A process made by vfork maps memory and leaves its address to its parent: this is not taken over, and said. */
/* torture: listed=W019 */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
static char *volatile left;
int main(void) {
  pid_t p = vfork();
  if (p == 0) {
    left = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    left[0] = 'x';
    _exit(0);
  }
  waitpid(p, NULL, 0);
  printf("%c\n", left ? left[0] : '-');
}

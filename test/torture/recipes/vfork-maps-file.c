/* SPDX-License-Identifier: MIT */
/* A process made by vfork maps a file and leaves its address to its parent: this is not taken over, and said. */
/* torture: listed=W019 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
static char *volatile left;
int main(void) {
  pid_t p = vfork();
  if (p == 0) {
    left = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, open("/etc/passwd", O_RDONLY), 0);
    _exit(0);
  }
  waitpid(p, NULL, 0);
  printf("%c\n", left ? left[0] : '-');
}

/* SPDX-License-Identifier: MIT */
/* A process made by vfork makes another one; both write for those that made them. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static int seen[4];
int main(void) {
  pid_t p = vfork();
  if (p == 0) {
    seen[0] = 1;
    pid_t q = vfork();
    if (q == 0) {
      seen[1] = 2;
      _exit(0);
    }
    waitpid(q, NULL, 0);
    seen[2] = seen[1] + 1;
    _exit(0);
  }
  waitpid(p, NULL, 0);
  p = vfork();
  if (p == 0) {
    seen[3] = seen[2] + 1;
    _exit(0);
  }
  waitpid(p, NULL, 0);
  printf("%d %d %d %d\n", seen[0], seen[1], seen[2], seen[3]);
}

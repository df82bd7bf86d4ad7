/* SPDX-License-Identifier: MIT */
/* A chain of fifty processes, each the child of the one before. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static int down(int n) {
  int st;
  if (n == 0) return 0;
  pid_t p = fork();
  if (p < 0) return 200;
  if (p == 0) _exit(down(n - 1));
  waitpid(p, &st, 0);
  return WEXITSTATUS(st) + 1;
}
int main(void) { printf("%d\n", down(50)); }

/* SPDX-License-Identifier: MIT */
/* CLONE_PARENT: a sibling instead of a child. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  int status = 0, sum = 0;
  pid_t first = fork();
  if (first == 0) {
    long p = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
    _exit(p == 0 ? 4 : p > 0 ? 5 : 6);
  }
  for (int i = 0; i < 2; i++)
    if (waitpid(-1, &status, 0) > 0) sum += WEXITSTATUS(status);
  printf("%d\n", sum);
}

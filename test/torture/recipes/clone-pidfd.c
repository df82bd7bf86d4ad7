/* SPDX-License-Identifier: MIT */
/* A process with a descriptor of its own: poll tells when it ends. */
#define _GNU_SOURCE
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  int fd = -1, status = 0;
  long p = syscall(SYS_clone, CLONE_PIDFD | SIGCHLD, 0, &fd, 0, 0);
  if (p == 0) _exit(9);
  struct pollfd wait = {fd, POLLIN, 0};
  int got = poll(&wait, 1, 10000);
  waitpid((pid_t)p, &status, 0);
  printf("%d %d %d\n", fd, got, WEXITSTATUS(status));
}

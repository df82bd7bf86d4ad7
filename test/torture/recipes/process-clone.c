/* SPDX-License-Identifier: MIT */
/* clone by hand: a child without a C library wrapper, and prctl(PR_SET_PDEATHSIG). */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
static int child(void *arg) {
  (void)arg;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  return 44;
}
int main(void) {
  char *stack = malloc(65536);
  int st;
  pid_t p = clone(child, stack + 65536, SIGCHLD, NULL);
  waitpid(p, &st, 0);
  printf("%d\n", WEXITSTATUS(st));
  p = clone(child, stack + 65536, CLONE_VFORK | SIGCHLD, NULL);
  waitpid(p, &st, __WALL);
  printf("%d\n", WEXITSTATUS(st));
}

/* SPDX-License-Identifier: MIT */
/* A process that shares memory executes a program: it cannot here, and says so. */
/* torture: listed=W029 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static int child(void *of) {
  execl("/bin/true", "true", (char *)NULL);
  (void)of;
  return 7;
}
int main(void) {
  char *stack = malloc(65536);
  int status = 0;
  waitpid(clone(child, stack + 65536, CLONE_VM | SIGCHLD, NULL), &status, 0);
  printf("%d\n", WEXITSTATUS(status));
}

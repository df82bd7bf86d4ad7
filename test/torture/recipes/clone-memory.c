/* SPDX-License-Identifier: MIT */
/* A process that shares memory for good: what it writes is there, before and after its end, by return and by _exit. */
/* torture: args=return */
/* torture: args=_exit */
/* torture: args=all */
/* torture: listed=W029 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int turn, sum;
static char text[40];
static int child(void *how) {
  for (int i = 1; i <= 100; i++) sum += i;
  strcpy(text, "written by the child");
  turn = 1;
  while (turn != 2) sched_yield();
  sum += 1000;
  if (how) _exit(45);
  return 44;
}
int main(int argc, char **argv) {
  char *stack = malloc(65536);
  int status = 0, by_exit = argc > 1 && strcmp(argv[1], "_exit") == 0;
  int flags = CLONE_VM | (argc > 1 && strcmp(argv[1], "all") == 0 ? CLONE_FS | CLONE_FILES | CLONE_SIGHAND : 0);
  pid_t p = clone(child, stack + 65536, flags | SIGCHLD, by_exit ? stack : NULL);
  while (turn != 1) sched_yield();
  printf("%d %s\n", sum, text);
  turn = 2;
  printf("%d\n", waitpid(p, &status, 0) == p);
  printf("%d %d %d\n", sum, WIFEXITED(status), WEXITSTATUS(status));
}

/* SPDX-License-Identifier: MIT */
/* A process that shares memory is ended by a signal from the one that made it, in a call and in a loop. */
/* torture: args=15 sleep */
/* torture: args=9 sleep */
/* torture: args=15 loop */
/* torture: args=9 loop */
/* torture: listed=W029 */
/* torture: timeout=20 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int begun, stop;
static int child(void *loops) {
  begun = 1;
  if (loops)
    while (!stop) continue;
  pause();
  return 0;
}
int main(int argc, char **argv) {
  char *stack = malloc(65536);
  int status = 0;
  pid_t p = clone(child, stack + 65536, CLONE_VM | SIGCHLD, argc > 2 && argv[2][0] == 'l' ? stack : NULL);
  while (!begun) sched_yield();
  usleep(10000);
  kill(p, atoi(argv[1]));
  printf("%d ", waitpid(p, &status, 0) == p);
  printf("%d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

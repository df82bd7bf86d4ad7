/* SPDX-License-Identifier: MIT */
/* A process that shares directories and umask with the one that made it, and one that has a copy. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
static int child(void *to) {
  umask(027);
  return chdir(to) ? 1 : 33;
}
int main(void) {
  char *stack = malloc(65536), here[200];
  int status = 0;
  waitpid(clone(child, stack + 65536, SIGCHLD, "/tmp"), &status, 0);
  printf("%d %d\n", WEXITSTATUS(status), getcwd(here, sizeof here) && here[1] == 'u');
  waitpid(clone(child, stack + 65536, CLONE_FS | SIGCHLD, "/usr"), &status, 0);
  printf("%d %s %o\n", WEXITSTATUS(status), getcwd(here, sizeof here), umask(0));
}

/* SPDX-License-Identifier: MIT */
/* posix_spawn of a program that is not there: its error comes back through shared memory. */
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
int main(void) {
  char *argv[] = {"x", NULL}, *env[] = {NULL};
  pid_t p = 0;
  int st = 0, r = posix_spawn(&p, "/no/such/program", NULL, NULL, argv, env);
  if (r == 0) waitpid(p, &st, 0);
  printf("%s, status %d\n", strerror(r), WEXITSTATUS(st));
}

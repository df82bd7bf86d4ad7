/* SPDX-License-Identifier: MIT */
/* setenv, unsetenv, putenv, clearenv, and what a program started with them sees. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  clearenv();
  setenv("A", "1", 1);
  setenv("A", "2", 0);
  putenv("B=from a literal");
  setenv("EMPTY", "", 1);
  setenv("GONE", "x", 1);
  unsetenv("GONE");
  for (char **e = environ; *e; e++) printf("%s\n", *e);
  fflush(stdout);
  if (fork() == 0) {
    char *arguments[] = {"sh", "-c", "echo $A-$B-${EMPTY-unset}-${GONE-unset}", NULL};
    execve("/bin/sh", arguments, environ);
  }
  wait(NULL);
  char *const own[] = {"ONLY=this", NULL};
  char *arguments[] = {"env", NULL};
  fflush(stdout);
  execvpe("/usr/bin/env", arguments, own);
}

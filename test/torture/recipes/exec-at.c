/* SPDX-License-Identifier: MIT */
/* execveat relative to a directory, and of an open file with AT_EMPTY_PATH. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  char *argv[] = {"echo", "by", "descriptor", NULL}, *env[] = {NULL};
  int dir = open("/bin", O_RDONLY | O_DIRECTORY), file = open("/bin/echo", O_RDONLY);
  if (fork() == 0) {
    syscall(SYS_execveat, dir, "echo", argv, env, 0);
    _exit(11);
  }
  int st;
  wait(&st);
  printf("%d\n", WEXITSTATUS(st));
  fflush(stdout);
  syscall(SYS_execveat, file, "", argv, env, AT_EMPTY_PATH);
  perror("execveat");
  return 1;
}

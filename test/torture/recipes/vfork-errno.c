/* SPDX-License-Identifier: MIT */
/* The usual way to learn why an exec failed: the child of vfork leaves errno in a variable. Many times over. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static int try(const char *path) {
  volatile int failed = 0;
  char *argv[] = {"x", NULL}, *env[] = {NULL};
  pid_t p = vfork();
  if (p == 0) {
    execve(path, argv, env);
    failed = errno;
    _exit(127);
  }
  waitpid(p, NULL, 0);
  return failed;
}
int main(void) {
  const char *paths[] = {"/no/such", "/etc/passwd", "/tmp", "/bin/true"};
  for (int i = 0; i < 4; i++) printf("%s: %s\n", paths[i], strerror(try(paths[i])));
  int sum = 0;
  for (int i = 0; i < 20; i++) sum += try("/no/such");
  printf("%d\n", sum);
}

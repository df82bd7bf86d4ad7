/* SPDX-License-Identifier: MIT */
/* A process that shares the table of descriptors with the one that made it: what it closes is closed there. */
/* torture: listed=W029 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static int fd;
static int child(void *of) {
  (void)of;
  return close(fd) == 0 ? 21 : 22;
}
int main(void) {
  char *stack = malloc(65536);
  int status = 0;
  fd = open("/dev/null", O_RDONLY);
  pid_t p = clone(child, stack + 65536, CLONE_FILES | SIGCHLD, NULL);
  waitpid(p, &status, 0);
  printf("%d %s\n", WEXITSTATUS(status), strerror(fcntl(fd, F_GETFD) < 0 ? errno : 0));
}

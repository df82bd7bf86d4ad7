/* SPDX-License-Identifier: MIT */
/* A server raises its limit of files beyond what it began with, opens many, forks and executes. */
/* torture: launch=ulimit -Sn 100 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv) {
  struct rlimit r;
  int status = 0, last = 0, fd;
  if (argc > 1) {
    getrlimit(RLIMIT_NOFILE, &r);
    printf("executed: %ld %ld, inherited %d\n", (long)r.rlim_cur, (long)r.rlim_max, fcntl(atoi(argv[1]), F_GETFD) >= 0);
    while ((fd = dup(0)) >= 0) last = fd;
    printf("last %d\n", last);
    return 0;
  }
  getrlimit(RLIMIT_NOFILE, &r);
  r.rlim_cur = 3000;
  printf("%d\n", setrlimit(RLIMIT_NOFILE, &r));
  for (int i = 0; i < 1500; i++) last = dup(0);
  printf("%d\n", last);
  fflush(stdout);
  if (fork() == 0) {
    char text[20];
    sprintf(text, "%d", last);
    execl(argv[0], argv[0], text, (char *)NULL);
    _exit(9);
  }
  wait(&status);
  printf("%d\n", WEXITSTATUS(status));
  char *data = calloc(1, 8192);
  int pipes[2];
  printf("%d %d\n", pipe(pipes), pipes[0] > 1000);
  free(data);
}

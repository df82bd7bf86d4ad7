/* SPDX-License-Identifier: MIT */
/* A program that closes every descriptor it does not know, then forks and executes. */
/* torture: args=range */
/* torture: args=loop */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static void close_all(const char *how) {
  if (!strcmp(how, "range")) syscall(SYS_close_range, 3U, ~0U, 0U);
  for (int i = 3; i < 4200; i++) close(i);
}
int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "range";
  int st;
  close_all(how);
  pid_t p = fork();
  if (p == 0) {
    close_all(how);
    execl("/bin/sh", "sh", "-c", "echo child; exit 3", (char *)NULL);
  }
  waitpid(p, &st, 0);
  long x = 0;
  for (int i = 0; i < 300000; i++) x += x ^ i;
  printf("%d %d %ld\n", WEXITSTATUS(st), open("/dev/null", O_RDONLY), x);
}

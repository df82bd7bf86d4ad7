/* SPDX-License-Identifier: MIT */
/* A program that becomes itself thirty times, counting down in argv. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 30;
  char next[20];
  if (n == 0) return printf("end of the chain, pid kept: %d\n", getenv("PID0") && atoi(getenv("PID0")) == getpid()), 4;
  if (argc < 2) {
    snprintf(next, sizeof next, "%d", getpid());
    setenv("PID0", next, 1);
  }
  snprintf(next, sizeof next, "%d", n - 1);
  execl(argv[0], argv[0], next, (char *)NULL);
  return 99;
}

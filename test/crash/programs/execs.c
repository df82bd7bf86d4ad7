/* SPDX-License-Identifier: MIT */
/* A program that becomes itself twelve times. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char** argv) {
  int n = argc > 1 ? atoi(argv[1]) : 12;
  volatile unsigned long x = 1;
  char next[16];
  for (int i = 0; i < 200000; i++) x = x * 3 + 1;
  write(1, "life\n", 5);
  if (n == 0) return write(1, "done\n", 5) == 5 ? 7 : 1;
  snprintf(next, sizeof next, "%d", n - 1);
  execl(argv[0], argv[0], next, (char*)NULL);
  return 1;
}

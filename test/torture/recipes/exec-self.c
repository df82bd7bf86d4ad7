/* SPDX-License-Identifier: MIT */
/* exec of /proc/self/exe means this program, not the recorder. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
  (void)argv;
  if (argc > 1) return puts("second life"), 6;
  puts("first life");
  fflush(stdout);
  execl("/proc/self/exe", "renamed", "again", (char *)NULL);
  perror("exec");
  return 1;
}

/* SPDX-License-Identifier: MIT */
/* Computes for a while; a line of output for every piece of work done. */
#include <stdio.h>
#include <unistd.h>
int main(void) {
  unsigned long x = 1;
  char line[64];
  for (int i = 0; i < 200; i++) {
    for (int k = 0; k < 100000; k++) x = x * 6364136223846793005UL + 1442695040888963407UL;
    write(1, line, (size_t)snprintf(line, sizeof line, "%d %lu\n", i, x));
  }
  return write(1, "done\n", 5) == 5 ? 7 : 1;
}

/* SPDX-License-Identifier: MIT */
/* Adds up digits; a letter in between makes the sum wrong. */
#include "tiny.h"
static int total;
static int value(char c) { return c - '0'; }
int main(int argc, char **argv) {
  for (const char *p = argv[1]; *p; p++) total += value(*p);
  char out[4] = {'0' + total / 100 % 10, '0' + total / 10 % 10, '0' + total % 10, '\n'};
  print(out, 4);
  return argc == 2 ? 0 : 1;
}

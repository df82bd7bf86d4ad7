/* SPDX-License-Identifier: MIT */
/* Code on an executable stack, as GCC's nested functions make it. */
/* torture: flags=-z execstack -Wno-trampolines */
#include <stdio.h>
#include <stdlib.h>
static int apply(int (*f)(int), int n) {
  int s = 0;
  for (int i = 0; i < n; i++) s += f(i);
  return s;
}
int main(int argc, char **argv) {
  int k = argc + 2;
  (void)argv;
  int nested(int x) { return x * k++; }
  printf("%d %d\n", apply(nested, 10), k);
}

// SPDX-License-Identifier: MIT
// Ends in the middle of things, by its input: 'l' inside of a loop, 'c' inside of a call, 'b' in one arm of a branch;
// with any other byte it goes on to the end of run().
#include "small.h"
static unsigned char input[1];
static int total;
__attribute__((noreturn)) KEEP static void finish(int status) {
  for (;;) kernel(231, status, 0, 0, 0);
}
KEEP static void called(int depth) {
  if (depth < 3) called(depth + 1);
  if (depth == 3 && input[0] == 'c') finish(2);
  ++total;
}
PUBLIC int run(void) {
  kernel(0, 0, (long)input, sizeof input, 0);
  for (int i = 0; i < 4; ++i) {
    total += i;
    if (i == 2 && input[0] == 'l') finish(1);
  }
  called(0);
  if (input[0] == 'b')
    finish(3);
  else
    total *= 2;
  for (int i = 0; i < 3; ++i) ++total;
  return total & 63;
}

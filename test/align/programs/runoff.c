// SPDX-License-Identifier: MIT
// A pointer runs off its block of the heap, into the next one. With an argument another block is
// allocated in between, so that it gets into that one.
#include <stdlib.h>

struct Pair {
  long a;
  long b;
};
long *cursor, *back, *in_frame;
struct Pair table[4], *in_table;
char *argument;

static void walk(long *x, int steps) {
  long local[4] = {1, 2, 3, 4};
  cursor = x;
  for (int i = 0; i < steps; i++)
    cursor++;
  back = cursor - steps;
  in_frame = &local[2];
  in_table = table + steps / 2;
  in_table->b = local[steps % 4] + *x;  // compared here
}

int main(int argc, char **argv) {
  long *x = malloc(24);
  long *between = argc > 1 ? malloc(24) : 0;
  long *y = malloc(24);
  *x = 7;
  *y = 8;
  if (between)
    *between = 9;
  // The blocks are there, whatever the compiler thinks of them.
  __asm__ volatile("" : : "r"(y), "r"(between) : "memory");
  argument = argv[0];
  walk(x, 4);
  return 0;
}

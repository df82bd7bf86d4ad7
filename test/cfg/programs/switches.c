// SPDX-License-Identifier: MIT
// Switches as compilers like to make tables of them: with a default, over a mask, over memory, with
// cases that do not return; and a computed goto.
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) int plain(int x, int y) {
  switch (x) {
    case 3: return y + 1;
    case 4: return y * 7;
    case 5: return y - 3;
    case 6: return y / 3;
    case 7: return y ^ 9;
    case 8: return y | 1;
    case 9: printf("nine\n"); return 2;
    default: return 0;
  }
}

__attribute__((noinline)) int masked(unsigned char c) {
  switch (c & 7) {
    case 0: return 11;
    case 1: puts("a"); return 5;
    case 2: return 9;
    case 3: puts("c"); return 1;
    case 4: return 77;
    case 5: puts("e"); return 6;
    case 6: return 32;
    default: puts("x"); return 8;
  }
}

__attribute__((noinline)) long in_memory(const long* p) {
  switch (*p) {
    case 10: return p[1];
    case 11: return p[2];
    case 12: puts("h"); return p[3] * 3;
    case 13: return p[4] - 1;
    case 14: return p[5];
    case 15: abort();
    case 17: exit(3);
  }
  return 0;
}

__attribute__((noinline)) int computed(int op) {
  static const void* const labels[] = {&&a, &&b, &&c, &&d};
  goto* labels[op & 3];
a:
  puts("A");
  return 1;
b:
  puts("B");
  return 2;
c:
  return 3;
d:
  puts("D");
  return 4;
}

int main(int argc, char** argv) {
  (void)argv;
  long p[9] = {12, 1, 2, 3, 4, 5, 6, 7, 8};
  long sum = 0;
  for (int i = 0; i < 20; ++i) {
    p[0] = i % 5 + 10;
    sum += plain(i, argc) + masked((unsigned char)i) + in_memory(p) + computed(i);
  }
  printf("%ld\n", sum);
  return 0;
}

/* SPDX-License-Identifier: MIT */
/* Calls through pointers, from tables and from structures; tail calls. */
#include "start.h"
typedef long Fn(long);
NOINLINE static long twice(long n) { return n * 2; }
NOINLINE static long plus(long n) { return n + 7; }
NOINLINE static long flip(long n) { return ~n; }
static Fn* const table[] = {twice, plus, flip, plus};
NOINLINE static long apply(Fn* f, long n) { return f(n); }
struct Thing { Fn* f; long n; };
int main(void) {
  long acc = 1;
  for (int i = 0; i < 400; i++) {
    struct Thing t = {table[acc >> 3 & 3], acc};
    acc = apply(table[i & 3], t.f(t.n)) & 0xffffff;
  }
  return (int)acc;
}

# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# BOLT accepts what is written for every function, and finds that what enters blocks leaves them.
bolt=$(command -v llvm-bolt llvm-bolt-22 llvm-bolt-19 | head -n 1) || true
[[ -n $bolt ]] || skip "no BOLT"
command -v valgrind >/dev/null || skip "no valgrind"
cat >prog.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
__attribute__((noinline)) static int kind(int c) {
  switch (c) {
    case 0: return fib(3);
    case 1: return 7;
    case 2: return c * 3;
    case 3: return 9;
    case 4: return (int)strlen("abc") + c;
    case 5: return 11;
    default: return 0;
  }
}
__attribute__((noinline)) static int tail(int c) { return kind(c ^ 1); }
int (*volatile call)(int) = tail;
int main(int n, char **v) {
  (void)v;
  int a[500];
  unsigned s = 1;
  for (int i = 0; i < 500; i++) a[i] = (int)((s = s * 1103515245 + 12345) >> 8);
  qsort(a, 500, sizeof *a, order);
  long t = 0;
  for (int i = 0; i < 500; i++) t += call(a[i] % 9);
  static char from[5000], to[5000];
  memcpy(to, from, n * 2000);
  printf("%ld %d\n", t, fib(12));
  return 0;
}
C
cc -O2 -fno-reorder-blocks-and-partition -o prog prog.c -Wl,--emit-relocs
valgrind -q --tool=callgrind --dump-instr=yes --collect-jumps=yes --callgrind-out-file=cg ./prog >/dev/null
twinrun profile convert --binary prog cg -o prog.fdata >/dev/null
"$bolt" prog -data=prog.fdata -w prog.yaml -o prog.bolt >out 2>&1 || {
  cat out >&2
  fail "$bolt"
}
not grep -qE "invalid|mismatch|stale|does not match" out
has prog.yaml fib kind tail order main
if grep -q "flow conservation gap" out; then has out "CFG flow conservation gap 0.00%"; fi
./prog.bolt >/dev/null

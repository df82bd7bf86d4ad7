# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What differs between two runs, function by function.
needs_recorder
cat >prog.c <<'C'
#include <stdlib.h>
int total;
__attribute__((noinline)) static int twice(int n) { return n * 2; }
__attribute__((noinline)) static int work(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += twice(i);
  return sum;
}
__attribute__((noinline)) static int idle(void) { return 7; }
int main(int argc, char **argv) {
  total = work(atoi(argv[1]));
  return idle() + total % 5;
}
C
cc -g -O0 -static -o prog prog.c
status 8 twinrun record -o a -- ./prog 3
status 9 twinrun record -o b -- ./prog 4
status 8 twinrun record -o a2 -- ./prog 3
status 1 twinrun diff --stat a b >out
has out "work" "twice" "3 -> 4" "prog.c:11 total 6 -> 12"
not grep -q idle out
twinrun diff --json --limit 0 a b >json || true
json json '[f["calls"] for f in d["functions"] if f["function"] == "twice"] == [[3, 4]]'
json json '[(f["divergences"], f["only_a"], f["only_b"] > 0) for f in d["functions"] if f["function"] == "work"] == [(1, 0, True)]'
json json '[f["different"] for f in d["functions"] if f["function"] == "twice"] == [0]'
json json 'sum(f["only_b"] for f in d["functions"]) == d["only_b"]'
# The same command: control flow does not differ.
status 0 twinrun diff --no-values a a2 >out
has out "0 functions differ"
# Stripped code has its functions from .eh_frame.
strip prog
status 8 twinrun record -o sa -- ./prog 3
status 9 twinrun record -o sb -- ./prog 4
status 1 twinrun diff --stat --only-exe sa sb >out
has out "0x40" "3 -> 4"

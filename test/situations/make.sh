# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A parallel make of which one rule fails.
needs_recorder
make --version >version 2>/dev/null || skip "no make"
cat >check.c <<'C'
#include <stdio.h>
int main(int argc, char **argv) {
  int n = 0;
  FILE *in = fopen(argv[1], "r");
  if (fscanf(in, "%d", &n) != 1) return 2;
  if (n > 9) fprintf(stderr, "check: %s: %d is too large\n", argv[1], n);
  return n > 9;
}
C
cc -g -O0 -o check check.c
printf 'all: one two\none: ; @./check one.txt\ntwo: ; @./check two.txt\n' >Makefile
echo 3 >one.txt
echo 4 >two.txt
twinrun record -q -o fine -- make -j2 >said
echo 40 >two.txt
status 2 twinrun record -q -o broken -- make -j2 >said 2>&1
status 1 twinrun why fine broken >out
begins out "two.txt, line 1"

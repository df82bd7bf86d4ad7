# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# State that the runs wrote by different code is called wrong only with evidence: a value that A never has there.
needs_recorder
cat >prog.c <<'C'
#include <stdio.h>
static int cell;
int main(int argc, char **argv) {
  int sum = 0;
  for (int i = 0; i < 4; i++) {
    if (argv[1][i] == 'u')
      cell = i;
    else if (argv[1][i] == 'd')
      cell = 3 - i;
    else
      cell = 77;
    sum = sum * 100 + cell;
  }
  printf("%d\n", sum);
  return argc > 9;
}
C
for level in $(levels | tr -d O-); do
  gcc -g -O$level -o prog prog.c
  # 0, 1, 2 and 3 in both, in another order.
  status 1 twinrun why './prog uuuu' './prog dddd' >out 2>/dev/null
  not grep 'first wrong state' out
  has out 'They differ because argv[1]'
done
gcc -g -O0 -o prog prog.c
status 1 twinrun why './prog uuuu' './prog uuxu' >out 2>/dev/null
grep 'cell was .*<-- first wrong state' out || {
  cat out
  exit 1
}

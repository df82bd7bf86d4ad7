# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A loop that is not left.
needs_recorder
cat >loop.c <<'C'
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int step = atoi(argv[1]);
  for (int left = 12; left != 0; left -= step)
    usleep(1000);
  return 0;
}
C
cc -g -O0 -o loop loop.c
limit=$(patience twinrun record -q -o fine -- ./loop 3)
status 1 twinrun why --timeout "$limit" './loop 3' './loop 5' >out 2>log
begins out "B does not come out of the loop at loop.c:5" "left is -" 'argv[1] is "3" in A, "5" in B'

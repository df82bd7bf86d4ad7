# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A variable of the environment that only one of the runs has.
needs_recorder
cat >mode.c <<'C'
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  const char *mode = getenv("APP_MODE");
  if (mode && mode[0] == '1') return 3;
  puts("fine");
  return 0;
}
C
cc -g -O0 -o mode mode.c
twinrun record -q -o unset -- ./mode >said
APP_MODE=1 status 3 twinrun record -q -o set -- ./mode
status 1 twinrun why unset set >out
begins out 'APP_MODE is "1" in B and not set in A'

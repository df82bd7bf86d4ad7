# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Long work shows on a terminal what it does, the share that is done and the time left, and takes the line away at its end;
# elsewhere it shows nothing.
needs_recorder
cat >busy.c <<'C'
#include <stdio.h>
#include <stdlib.h>
static unsigned table[4096];
int main(int argc, char **argv) {
  long n = atol(argv[1]), odd = atol(argv[2]);
  for (long i = 0; i < n; i++) {
    unsigned *p = &table[(i * 2654435761u) & 4095];
    if (i == odd) *p += 1;
    *p = *p * 31 + (*p & 8 ? 5u : 7u);
  }
  unsigned sum = 0;
  for (int i = 0; i < 4096; i++) sum = sum * 31 + table[i];
  printf("%u\n", sum);
  return 0;
}
C
cc -g -O1 -o busy busy.c
# As much work as takes some seconds here.
n=300000
for _ in 1 2 3 4 5 6 7 8 9; do
  twinrun record -q --force -o a -- ./busy "$n" 0 >said
  begin=${EPOCHREALTIME/./}
  twinrun verify a >out 2>err
  [[ ! -s err ]] || fail "progress without a terminal: $(cat err)"
  ((${EPOCHREALTIME/./} - begin < 2500000)) || break
  n=$((n * 2))
done
watch=$TWINRUN_SOURCE/test/e2e/watch_progress.py
TERM=xterm "$watch" 'working|checking|computing values again' twinrun verify a
# That takes several times as long.
few=$((n / 5))
twinrun record -q --force -o few -- ./busy "$few" 0 >said
twinrun record -q --force -o other -- ./busy "$few" "$((few / 2))" >said
TERM=xterm "$watch" 'working|aligning|pairing what loops do|aligning again|finding what went wrong|following differences|naming values|checking memory|counting lines' \
  twinrun why few other
TERM=dumb "$watch" --nothing twinrun verify a
TERM=xterm NO_COLOR=1 "$watch" --nothing twinrun verify a

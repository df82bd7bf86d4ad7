# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A program that fails now and then, by random bytes.
needs_recorder
cat >dice.c <<'C'
#include <stdio.h>
#include <sys/random.h>
int main(void) {
  unsigned char side;
  getrandom(&side, 1, 0);
  if (side % 2 == 0) return 0;
  return 1;
}
C
cc -g -O0 -o dice dice.c
# Half of the runs fail; one of each within forty.
for ((i = 0; i < 40; i++)); do
  if twinrun record -q --force -o new -- ./dice; then twinrun pack new >/dev/null && cp "$XDG_DATA_HOME"/twinrun/new.twin pass.twin
  else cp "$XDG_DATA_HOME"/twinrun/new.twin fail.twin; fi
  [[ ! -e pass.twin || ! -e fail.twin ]] || break
done
status 1 twinrun why pass.twin fail.twin >out
begins out "getrandom() gives"

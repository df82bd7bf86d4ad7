# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# --from: nothing is recorded before the first call of a function, wherever its code is mapped.
needs_recorder
cat >late.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int table[1000], scale;
static char *kept;
__attribute__((noinline)) static void prepare(int n) {
  for (int round = 0; round < 100; ++round)
    for (int i = 0; i < 1000; ++i) table[i] = i ^ round;
  scale = n;
  kept = strdup("kept");
}
__attribute__((noinline)) static int work(const char *text) {
  int sum = atoi(text);
  for (int i = 0; i < 100; ++i) sum += table[i] * scale;
  sum += (int)strlen(kept);
  free(kept);
  return sum;
}
int main(int argc, char **argv) {
  prepare(atoi(argv[1]));
  printf("%d\n", argc > 2 ? work(argv[2]) : 0);
  return argc;
}
C
count() { twinrun info --json "$1" | python3 -c 'import json, sys; print(json.load(sys.stdin)["instructions"])'; }
begins_in_work() {
  twinrun dump "$1" >dump
  head -n 1 dump >out
  has out " work "
}
for flags in "-O1" "-O1 -no-pie" "-O1 -static" "-O1 -static-pie"; do
  # shellcheck disable=SC2086
  gcc -g $flags -o late late.c
  status 3 ./late 3 4 >native
  status 3 twinrun record --force -o whole.twin -- ./late 3 4 >out
  same native out
  status 3 twinrun record --force -o late.twin --from work -- ./late 3 4 >out 2>err
  same native out
  [[ ! -s err ]] || fail "it said something"
  twinrun verify late.twin
  (($(count late.twin) * 20 < $(count whole.twin))) || fail "$(count late.twin) of $(count whole.twin) instructions"
  begins_in_work late.twin
  twinrun info late.twin >out
  has out "from work on" "late" "exit 3" "./late 3 4"
  twinrun calls late.twin >out
  has out "work"
  # What was there before has no writer; what came later has.
  twinrun who --at late.c:14#last --what scale late.twin >out
  has out "was there when the recording began"
  twinrun who --at 0 --what rdi late.twin >out
  has out "was there when the recording began"
  twinrun mem --at 20 late.twin late.twin >out
  has out "0 not, "
done
twinrun info --json late.twin >out
json out 'd["recording"]["facts"]["from"] == "work" and d["format"] == 2 and d["processes"][0]["origin"] == "late"'

# By its address in the file; a library's function; one that a stripped program has in .dynsym.
address=0x$(nm late | awk '$3 == "work" { print $1 }')
status 3 twinrun record --force -o late.twin --from "$address" -- ./late 3 4 >out
begins_in_work late.twin
gcc -g -O1 -rdynamic -o late late.c
strip late
for name in strdup 'libc.so.6!strdup' main; do
  status 3 twinrun record --force -o late.twin --from "$name" -- ./late 3 4 >out
  same native out
  twinrun verify late.twin
done
status 2 twinrun record --control-flow-only -o flow.twin --from main -- ./late 3 >out
twinrun verify flow.twin
twinrun paths flow.twin --hot --all-modules >out

# Never called: the program runs, and there is no recording.
status 2 twinrun record -q -o never.twin --from mkfifo -- ./late 3 >out 2>err
has err "twinrun: warning[W027]: nothing is recorded: the program did not call mkfifo"
[[ $(cat out) == 0 && $(wc -l <err) == 1 ]]
# Not there: the program does not run.
gcc -g -o late late.c
for name in wrok 'late!wrok' 'nowhere.so!work' 'wrok@plt'; do
  status 125 twinrun record -o unknown.twin --from "$name" -- ./late 3 4 >out 2>err
  has err "twinrun: error[P011]"
  [[ ! -s out ]]
done
status 125 twinrun record -o unknown.twin --from wrok -- ./late 3 4 2>err
has err "did you mean 'work'?"
for file in never.twin* unknown.twin*; do [[ ! -e $file ]] || fail "$file is left"; done

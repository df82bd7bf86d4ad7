# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Paths of a small program whose counts are known: by lines, blocks, addresses and expressions, through
# recursion, calls, longjmp and threads; what cannot be says why.
needs_recorder
cat >prog.c <<'C'
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
static jmp_buf back;
__attribute__((noinline)) int helper(int n) { return n * 2; }
__attribute__((noinline)) int work(int n) {
  int r = 0;
  for (int i = 0; i < n; i++) {
    if (i % 3 == 0)
      r += helper(i);
    else
      r -= 1;
  }
  return r;
}
__attribute__((noinline)) int down(int n) {
  if (n == 0)
    return 0;
  int r = down(n - 1);
  return r + 1;
}
__attribute__((noinline)) void jumps(int n) {
  if (n > 9) return; if (n == 3)
    longjmp(back, 1);
  jumps(n + 1);
  abort();
}
__attribute__((noinline)) int unused(int n) { return n; }
int main(int argc, char **argv) {
  int sum = 0;
  for (int i = 0; i < 5; i++)
    sum += work(6);
  sum += work(7);
  sum += down(9);
  if (setjmp(back) == 0)
    jumps(0);
  printf("%d\n", sum + argc);
  return argc > 5 ? unused(0) : 0;
}
C
gcc -g -O0 -o prog prog.c
twinrun record -q -o run -- ./prog >/dev/null
store=$XDG_DATA_HOME/twinrun

# 37 turns; 13 of them call helper.
twinrun paths run --in work ':9 :10' >out
has out "13 executions of ':9 :10' in work" "nothing was decompressed"
[[ $(stat -c %a "$store/run.twin.paths") == 600 ]]
twinrun paths run --in work ':9 :12' >out
has out "24 executions"
twinrun paths run --in work ':9 :10 :8 :9 :12' >out
has out "12 executions" "interrupted by calls of helper"
twinrun paths run --in work ':9 (:10|:12) :8 :9 (:10|:12) :8 :9 :10' >out
has out "7 executions"
twinrun paths run --in work ':10 ... :14' >out
has out "6 executions" "looked at"
twinrun paths run --in work ':7' --json >out.json
json out.json 'd["schema"] == "twinrun.paths.v1" and d["count"] == 6 and d["runs"][0]["by_index"]'

# An invocation of a recursion is one of its own.
twinrun paths run --in down ':17 :19 :20' >out
has out "9 executions" "interrupted by calls of down"
twinrun paths run --in down ':17 :18' >out
has out "1 execution" "at "
# What longjmp left does not go on.
twinrun paths run --in jumps ':23 :25' >out
has out "3 executions"
status 1 twinrun paths run --in jumps ':25 :26' >out
has out "never executed"
twinrun paths run --in main ':34 :35 :36' >out
has out "1 execution"
# Back to where setjmp was called: an edge that the code does not show.
twinrun paths run --in main ':36 :35 :37' >out
has out "1 execution"

# Positions: the step is where the last block begins.
twinrun paths run --in down ':18' --json >out.json
step=$(python3 -c 'import json; print(json.load(open("out.json"))["runs"][0]["rows"][0]["first"])')
twinrun dump --values --range "$step..+1" run >out
has out "prog.c:18"
twinrun paths run --in work ':10' --all --limit 3 --json >out.json
json out.json 'len(d["runs"][0]["all"]) == 3 and d["runs"][0]["all"][0]["step"] == d["runs"][0]["rows"][0]["first"]'

# Contexts, and through calls.
twinrun paths run --in work ':10' --context 1 >out
has out "10  main prog.c:32" "3  main prog.c:33"
twinrun paths run --in down ':18' --context 0 >out
has out "down prog.c:19 < down prog.c:19"
twinrun paths run --in work --through-calls ':10 helper/:5' >out
has out "13 executions"
status 1 twinrun paths run --in work --through-calls ':9 :10 :8' >out
status 2 twinrun paths run --in work ':10 helper/:5' 2>err
has err "Q001" "--through-calls"

# Blocks and addresses, and all schemes alike.
twinrun paths run --in work --blocks --json >out.json
python3 - <<'P' >blocks
import json
blocks = json.load(open("out.json"))["blocks"]
b = next(b for b in blocks if b["count"] == 13 and b["lines"] == "prog.c:10")
print(f"b{b['block']} {b['address']:#x} b{b['next'][0]}")
P
read -r block address next <blocks
for path in "$block $next" "$address $next"; do
  twinrun paths run --in work "$path" >out
  has out "13 executions"
done
for scheme in 1 2 3 4 index; do
  twinrun paths run --in work "$block $next" --scheme "$scheme" --stats --json >"scheme-$scheme.json"
  json "scheme-$scheme.json" 'd["count"] == 13'
  python3 -c 'import json, sys; r = json.load(open(sys.argv[1]))["runs"][0]["rows"]; print(r)' "scheme-$scheme.json" >"rows-$scheme"
  same rows-1 "rows-$scheme"
done
for scheme in 2 4 index; do json "scheme-$scheme.json" 'd["runs"][0]["terminals_expanded"] == 0'; done
json scheme-2.json 'd["runs"][0]["rules_visited"] > 0'
json scheme-3.json 'd["runs"][0]["terminals_expanded"] > 0 and d["runs"][0]["chunks_opened"] > 0'

# What cannot be, and what is not there.
status 1 twinrun paths run --in work ':10 :12' >out
has out "no run can: there is no edge from :10 to :12; behind :10 comes prog.c:8"
status 1 twinrun paths run --in unused ':28' >out
has out "never executed" "unused was not executed"
status 2 twinrun paths run --in wrok ':10' 2>err
has err "P011" "did you mean 'work'"
status 2 twinrun paths run --in work ':99' 2>err
has err "Q005" "prog.c:9"
status 2 twinrun paths run --in work 'b99' 2>err
has err "Q005" "b0 to b"
status 2 twinrun paths run --in work ':9 (' 2>err
has err "Q001"
status 2 twinrun paths run --in work 2>err
has err "Q001"

# The whole run, and two runs.
twinrun paths run --hot --limit 4 >out
has out "work" "SHARE" "more: --limit"
twinrun record -q -o other -- ./prog 1 2 3 4 5 >/dev/null
status 1 twinrun paths run other --diff >out
has out "functions that only B executes (1): unused" "paths of A only"
status 1 twinrun paths run other --diff --in unused >out
has out "functions that only B executes (1): unused"
twinrun paths other run --never --in unused >out
has out "unused"
status 2 twinrun paths run run --never --in unused 2>err
has err "P011"
twinrun paths run run --diff >out
has out "executed equally often"
twinrun paths run other --never --in main >out
has out "main"
twinrun paths run --never >out
has out "prog.c:25 > prog.c:26" "POSSIBLE"
twinrun paths run other --in main ':33 :34' >out
has out "executed in 2 of 2 recordings"

# A damaged index is made again; a recording that is cut has one.
printf 'XXXX' | dd of="$store/run.twin.paths" bs=1 seek=100 conv=notrunc status=none
twinrun paths run --in work ':9 :10' >out
has out "13 executions"
head -c $(($(stat -c %s "$store/run.twin") * 9 / 10)) "$store/run.twin" >cut.twin
status 0 twinrun paths ./cut.twin --hot >out 2>err
has err "prefix"
twinrun rm run
[[ ! -e $store/run.twin.paths ]]

# Without debug information and symbols.
strip -s prog
twinrun record -q -o bare -- ./prog >/dev/null
status 2 twinrun paths bare --in work ':9' 2>err
has err "P011"
twinrun paths bare --in "$address" "$block $next" >out 2>err
has out "13 executions"
status 2 twinrun paths bare --in "$address" ':9' 2>err
has err "Q005" "no debug information"

# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A slice has the branches and calls that decided about its instructions, and what they depend on.
needs_recorder
cat >prog.c <<'C'
#include <stdlib.h>
__attribute__((noinline)) int pick(int a) {
  int r;
  if (a > 3)
    r = 5;
  else
    r = 6;
  return r;
}
int main(int argc, char **argv) {
  int unrelated = 0;
  for (int i = 0; i < 10; ++i)
    if (argc + i > 3) unrelated += i;
  if (argc > 1) return pick(argv[1][0] - '0');
  return unrelated;
}
C
cc -g -O0 -o prog prog.c
status 5 twinrun record -q -o run -- ./prog 7
step=$(twinrun dump run | grep ' pick+' | tail -1 | awk '{print $1}')
twinrun slice --at "$step" --what eax --limit 30 run >out
has out "prog.c:5" "prog.c:4" "jle" "prog.c:14" "decided by"
# The loop did not decide about anything.
not grep -q "prog.c:1[23]" out
twinrun slice --at "$step" --what eax --no-control --no-addresses run >out
has out "prog.c:5"
not grep -q "prog.c:4\\|decided by" out
twinrun slice --at "$step" --what eax --limit 30 --json run >out.json
json out.json 'any(e["kind"] == "control" for e in d["edges"])'
json out.json '[r["line"] for r in d["rows"]][:3] == [8, 5, 4]'
twinrun slice --at "$step" --what eax --limit 30 --dot run >out
has out "style=dotted"

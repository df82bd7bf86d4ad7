# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The control flow of a recorded function: counts of blocks and edges, tables, loops.
needs_recorder
cat >prog.c <<'C'
#include <stdio.h>
__attribute__((noinline)) int choose(int x) {
  switch (x) {
    case 1: return 5;
    case 2: puts("two"); return 7;
    case 3: return 11;
    case 4: puts("four"); return 13;
    case 5: return 17;
    default: return 0;
  }
}
__attribute__((noinline)) int sum(int n) {
  int s = 0;
  for (int i = 0; i < n; i++) s += choose(i);
  return s;
}
int main(void) { return sum(4) != 23; }
C
cc -O1 -fno-inline -o prog prog.c
twinrun record --no-binaries --control-flow-only -o run -- ./prog >/dev/null
twinrun cfg sum --in run --json >sum
json sum 'd["schema"] == "twinrun.cfg.v1" and d["function"] == "sum" and d["loops"] == 1 and d["returns"]'
json sum 'max(b["count"] for b in d["blocks"]) == 4 and d["unexplained_edges"] == 0'
json sum 'sorted(s["count"] for b in d["blocks"] if b["ends"] == "branch" and b["loop_depth"] for s in b["successors"]) == [1, 3]'
# Each block is entered as often as its incoming edges say.
twinrun cfg choose --json >choose
python3 - <<'P'
import json
d = json.load(open("choose"))
into = {b["start"]: 0 for b in d["blocks"]}
into[d["entry"]] = 4
for b in d["blocks"]:
    for s in b["successors"]:
        if s["to"] is not None:
            into[s["to"]] += s["count"]
assert all(b["count"] == into[b["start"]] for b in d["blocks"]), (d["blocks"], into)
assert sum(s["kind"] == "table" for b in d["blocks"] for s in b["successors"]) >= 5
P
twinrun cfg choose >out
has out "choose in" "POST-DOM" "table (1)" "exit" "blocks executed"
twinrun cfg main --in @ --dot >out
has out 'digraph "main" {' "1 times" "->"
# The file is gone: the executed code remains.
json sum 'len(d["parts"]) == 1'
entry=$(python3 -c 'import json; print(hex(json.load(open("sum"))["entry"]))')
rm prog
twinrun cfg "$entry" --in run >out 2>err
has err "only executed code is known"
has out "known by observed" "4"
status 2 twinrun cfg nosuch --in run 2>err
has err "P011"

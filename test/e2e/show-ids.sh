# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# All about a finding or a node: places, steps, values, writers, edges both ways, lines of the answer.
needs_recorder
tiny_header
cat >prog.c <<'C'
#include "tiny.h"
static int limit;
static void set(const char *text) { limit = text[0]; }
int main(int argc, char **argv) {
  set(argv[1]);
  for (int i = 0; i < 60; i++) {
    if (i == limit) return 5;
  }
  return 0;
}
C
cc -static -nostdlib -g -O0 -o prog prog.c
status 5 twinrun record -q -o a -- ./prog 0
twinrun record -q -o b -- ./prog A
status 1 twinrun why --json a b >why.json
status 1 twinrun why a b >why
has why "twinrun show D2 a b"
twinrun show D1 a b >out
# The lines of the answer up to the next finding, and no more.
sed -n '/^  D1/,/^  D2/p' why | sed '$d' >lines
sed '/^$/,$d' out >shown
same <(tr -s ' ' <lines) <(tr -s ' ' <shown)
has out "exit status  5 | 0" "prog.c:7  main+" "cmp" "limit (0x" "A: 48  B: 65" "because of" "used by" "control"
twinrun show --json D1 a b >json
json json 'd["schema"] == "twinrun.show.v1" and d["id"] == "D1" and d["answer"][0]["id"] == "D1"'
# A node is the same one as in the answer of why, and knows its neighbours.
node=$(python3 - <<'P'
import json
edges = json.load(open("why.json"))["graph"]["edges"]
print(next(e["from"] for e in edges if e.get("name") == "limit"))
P
)
twinrun show --json "$node" a b >json
json json 'd["nodes"][0] == {**next(n for n in json.load(open("why.json"))["graph"]["nodes"] if n["id"] == d["id"]), "because_of": d["nodes"][0]["because_of"], "used_by": d["nodes"][0]["used_by"]}'
json json 'any((e.get("name"), e["value_a"], e["value_b"]) == ("limit", "48", "65") for e in d["nodes"][0]["because_of"])'
json json 'd["nodes"][0]["used_by"] and all(e["to"] == d["id"] for e in d["nodes"][0]["used_by"])'
json json 'd["nodes"][0]["b"]["line"] == 7 and d["nodes"][0]["b"]["step"].startswith("1.1.")'
# The flags of why change what the numbers mean.
twinrun show D1 --at prog.c:7#1 --value limit a b >out
tells out "limit at prog.c:7#1 48 | 65"
status 2 twinrun show D9 a b 2>err
has err "error[A006]: there is no D9" "the answer has D1, D2"
status 2 twinrun show N999999 a b 2>err
has err "error[A006]"
status 2 twinrun show X1 a b 2>err
has err "error[C003]: 'X1' is neither a finding nor a node"
status 2 twinrun show D1 a a 2>err
has err "error[A006]" "No difference"

# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Figure 7 of the memory indexing paper: the differences between the two runs are those of its text.
needs_recorder
cp "$TWINRUN_SOURCE/test/align/programs/figure7_memory.c" prog.c
musl-gcc -static -g -O0 -o prog prog.c
line() { grep -n "// $1\$" prog.c | cut -d: -f1; }
status 0 twinrun record -o passing -- ./prog x
status 0 twinrun record -o failing -- ./prog
status 1 twinrun mem --at "prog.c:$(line 11)" --only-exe passing failing >out
has out "in front of prog.c:$(line 11) F" "struct Node *" "*h"
status 1 twinrun mem --at "prog.c:$(line 11)" --json --limit 0 --symbolic passing failing >json
cat >check.py <<'P'
import json
moment = json.load(open("json"))["moments"][0]
rows = moment["differences"]
own = [r for r in rows if r["region"] == "prog"]
assert sorted((r["kind"], r["name"]) for r in own) == [("pointer", "h"), ("pointer", "p"), ("pointer", "r"), ("value", "C")], own
heap = [r for r in rows if r["region"].startswith("heap")]
assert len(heap) == 1 and heap[0]["kind"] == "only A" and heap[0]["offset"] == "*" and heap[0]["size"] == 16, heap
# Allocated at 7 under the true branch of 5: [F, 5T, 7].
lines = {n: next(i for i, l in enumerate(open("prog.c"), 1) if l.rstrip().endswith(f"// {n}")) for n in (5, 7)}
path = heap[0]["region"]
assert path.index("F@prog.c") < path.index(f"prog.c:{lines[5]}>prog.c:{lines[7]}") < path.index(f"new_node@prog.c:{lines[7]}"), path
of_program = {"p", "r", "h"}
paths = {r["path"] for r in moment["symbolic"]["differences"] if r["path"].split("->")[0] in of_program}
assert paths >= {"p->val", "r->val", "r->next->val", "r->next->next->val", "h->next->val", "h->next->next->val"}, paths
P
python3 check.py
# They part in 4, which decides by the arguments, and in 5, by C.
status 1 twinrun mem --every-divergence --divergences 0 --json --limit 0 passing failing >json
json json '[[r["name"] for r in m["differences"] if r["region"] == "prog"] for m in d["moments"] if m["where"]["function"] == "F"] == [[], ["C"]]'
# What only one run executes is no moment of both.
status 2 twinrun mem --at "prog.c:$(line 6)" passing failing 2>err
has err "A005"
status 2 twinrun mem passing failing 2>err
has err "C008"
status 0 twinrun record --control-flow-only -o flow -- ./prog x
status 2 twinrun mem --at "prog.c:$(line 11)" flow flow 2>err
has err "V001"

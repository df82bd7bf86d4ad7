# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The control flow of a binary alone: with and without symbols, and the errors.
cat >prog.c <<'C'
#include <stdlib.h>
__attribute__((noinline)) void die(int x) { if (x) exit(1); abort(); }
__attribute__((noinline)) int odd(int x) { if (x < 0) die(x); return x % 2; }
int main(int n, char** v) { (void)v; return odd(n); }
C
cc -O1 -fno-inline -o prog prog.c
twinrun cfg odd --in ./prog >out
has out "odd in ./prog" "returns, known by symbol" "call: no return" "BLOCK"
twinrun cfg die --in ./prog --json >die
json die 'not d["returns"] and d["source"] == "symbol" and all(b["count"] is None for b in d["blocks"])'
json die '[b["successors"] for b in d["blocks"] if "no return" in b["notes"]][-1] == [{"to": None, "kind": "exit", "count": None}]'
entry=$(python3 -c 'import json; print(hex(json.load(open("die"))["entry"]))')
strip -o stripped prog
twinrun cfg "$entry" --in ./stripped >out
has out "$entry in ./stripped" "does not return, known by eh_frame"
status 2 twinrun cfg mian --in ./prog 2>err
has err "P011" "main"
status 2 twinrun cfg main --in ./prog --dot --json 2>err
has err "C008"
status 2 twinrun cfg 2>err
has err "C004"
# An empty cold part at the same place does not take the other one's name.
cat >cold.s <<'S'
.type a, @function
a: jmp a.cold
1: ret
.size a, . - a
.type b, @function
b: jne b.cold
2: ret
.size b, . - b
.type a.cold, @function
a.cold:
.size a.cold, 0
.type b.cold, @function
b.cold: nop
jmp 2b
.size b.cold, . - b.cold
S
cc -shared -nostdlib -o cold.so cold.s
twinrun cfg b --in ./cold.so --json >b
json b '[p["name"] for p in d["parts"]] == ["b", "b.cold"] and len(d["blocks"]) == 3'
# Names from a binary cannot leave their quotes.
cat >evil.s <<'S'
.globl "a\"];b[label=\"\\"
.type "a\"];b[label=\"\\", @function
"a\"];b[label=\"\\": ret
.size "a\"];b[label=\"\\", 1
S
if cc -shared -nostdlib -o evil.so evil.s 2>/dev/null; then
  twinrun cfg 'a"];b[label="\' --in ./evil.so --dot >out
  has out 'digraph "a\"];b[label=\"\\" {'
fi

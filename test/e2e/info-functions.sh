# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Function counts add up to the recording's total and are exact for known code.
needs_recorder
cat >prog.c <<'C'
__attribute__((noinline)) int leaf(int x) { __asm__ volatile("nop\nnop\nnop"); return x + 1; }
int main(void) {
  int sum = 0;
  for (int i = 0; i < 1000; i++) sum = leaf(sum);
  return sum != 1000;
}
C
cc -O1 -o prog prog.c
twinrun record -o run -- ./prog
twinrun info run >out
has out "./prog" "exit 0" "1 process, 1 thread" "complete"
twinrun info --functions --json run >functions.json
json functions.json 'sum(f["instructions"] for f in d["functions"]) == d["instructions"]'
json functions.json '[f["calls"] for f in d["functions"] if f["function"] == "leaf"] == [1000]'
json functions.json '[f["instructions"] for f in d["functions"] if f["function"] == "leaf"] == [5000]'
twinrun info --instructions --json run >instructions.json
python3 - <<'P'
import json
total = json.load(open("functions.json"))["instructions"]
rows = json.load(open("instructions.json"))["instructions"]
assert sum(r["count"] for r in rows) == total
P
twinrun info --json run >info.json
json info.json 'd["schema"] == "twinrun.info.v1" and d["processes"][0]["command"] == ["./prog"]'
json info.json 'any(m["path"].endswith("/prog") and m["build_id"] for m in d["modules"])'

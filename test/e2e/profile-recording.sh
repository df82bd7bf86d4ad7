# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A recording is an exact profile of each binary that it executes, and of no other.
needs_recorder
cat >prog.c <<'C'
#include <string.h>
__attribute__((noinline)) static int turns(int n) { int s = 0; while (n > 0) s += n--; return s; }
int (*volatile call)(int) = turns;
char from[300], to[300];
int main(void) {
  memcpy(to, from, sizeof to);
  int sum = 0;
  for (int i = 0; i < 9; i++) sum += call(i);
  return sum != 120;
}
C
cc -O1 -fno-builtin -Wl,--build-id -o prog prog.c
twinrun record -o run ./prog
twinrun profile convert --binary prog run -o counts.json >out
has out "run: recording"
json counts.json 'd["exact"]'
json counts.json '[f["entries"]["count"] for f in d["functions"] if f["name"] == "turns"] == [9]'
json counts.json '[c["count"] for c in d["calls"] if c["callee"] in [f["address"] for f in d["functions"] if f["name"] == "turns"]] == [9]'
# The loop turns 0 + 1 + ... + 8 times: that is a block and an edge.
json counts.json '36 in [b["count"] for f in d["functions"] if f["name"] == "turns" for b in f["blocks"]]'
twinrun profile convert --binary prog run -o run.fdata >/dev/null
twinrun profile score --binary prog run.fdata run --json >score
json score 'd["block_overlap"] > 0.9999 and d["edge_overlap"] > 0.9999 and d["coverage"] == 1'
sed 's/sum != 120/sum == 120/' prog.c >prog2.c
mkdir other
cc -O1 -fno-builtin -Wl,--build-id -o other/prog prog2.c
status 2 twinrun profile convert --binary other/prog run --output-format fdata 2>err
has err "error[F004]" "another build"
status 2 twinrun profile convert --binary /bin/true run --output-format fdata 2>err
has err "error[F005]"

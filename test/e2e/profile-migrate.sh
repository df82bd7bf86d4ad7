# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A profile of the old build for the new one: from callgrind, and from a recording; nothing is run
# for it but the old build.
cat >old.c <<'C'
#include <stdio.h>
#include <stdlib.h>
static int seen[64];
__attribute__((noinline)) static int hot(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) {
    if (i & 1) sum += seen[i & 63]++;
    else sum ^= i * 7;
  }
  return sum;
}
__attribute__((noinline)) static int cold(int n) { return n < 0 ? abs(n) : seen[n & 63] * 3; }
int main(int argc, char **argv) {
  int sum = 0;
  for (int i = 0; i < 50; i++) sum += hot(i);
  for (int i = 0; i < 3; i++) sum += cold(i);
  printf("%d\n", sum);
  return 0;
}
C
sed -e 's/static int seen\[64\]/int added; &/' -e 's/int sum = 0;/& added += 5;/' old.c >new.c
cc -O2 -g -o old old.c
cc -O2 -g -o new new.c
valgrind -q --tool=callgrind --dump-instr=yes --collect-jumps=yes --callgrind-out-file=old.cg ./old >/dev/null
valgrind -q --tool=callgrind --dump-instr=yes --collect-jumps=yes --callgrind-out-file=new.cg ./new >/dev/null
twinrun profile migrate --from old --to new old.cg -o new.fdata >out
has out "carried over" "exact" "written to new.fdata as fdata"
twinrun profile score --binary new new.fdata new.cg --json >score
json score 'd["block_overlap"] > 0.99 and d["edge_overlap"] > 0.99 and d["branch_ratio"] > 0.99'
# Without names it is the same.
strip -s -o stripped new
twinrun profile migrate --from old --to stripped old.cg -o stripped.json --json >out
json out 'd["carried"]["matched_instructions"] / d["carried"]["old_instructions"] > 0.9'
# Where counts come from: matched ones have a strength, and what has no partner no counts.
twinrun profile migrate --from old --to new old.cg -o new.json >/dev/null
json new.json '{b["source"] for f in d["functions"] for b in f["blocks"]} <= {"matched", "inferred", "unknown"}'
json new.json '{b["strength"] for f in d["functions"] for b in f["blocks"] if b["source"] == "matched"} <= {"exact", "strong", "fair", "weak"}'
twinrun profile migrate --from old --to new old.cg --no-inference --min-strength exact -o sure.json >/dev/null
json sure.json '"inferred" not in {b["source"] for f in d["functions"] for b in f["blocks"]}'
# Other formats, fresh counts on top.
twinrun profile migrate --from old --to new old.cg -o callgrind.out.new >/dev/null
has callgrind.out.new "events:" "hot"
twinrun profile merge --binary new new.fdata new.cg -o both.fdata >/dev/null
# The profile must be of the old binary.
status 2 twinrun profile migrate --from new --to old old.cg -o wrong.fdata --object old 2>err || true
status 2 twinrun profile migrate --from old --to new old.cg -o new.fdata 2>err
has err "error[S009]"
status 2 twinrun profile migrate --to new old.cg -o x.fdata 2>err
has err "error[C004]" "--from"
status 2 twinrun profile migrate --from old old.cg -o x.fdata 2>err
has err "error[C004]" "--to"
status 2 twinrun profile migrate --from old --to new old.cg -o x.fdata --min-strength none 2>err
has err "error[C003]"
status 2 twinrun profile migrate --from old --to old.c old.cg -o x.fdata 2>err
has err "error[P001]"

needs_recorder
twinrun record --control-flow-only -o run ./old >/dev/null
twinrun profile migrate --from old --to new run -o recorded.fdata >/dev/null
twinrun profile score --binary new recorded.fdata new.cg --json >score
json score 'd["block_overlap"] > 0.99'

# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A profile of callgrind becomes one of every other format, and back.
command -v valgrind callgrind_annotate >/dev/null || skip "no valgrind"
cat >prog.c <<'C'
#include <stdlib.h>
__attribute__((noinline)) static int odd(int x) { return x & 1 ? x * 3 : x - 1; }
__attribute__((noinline)) static int pick(int x) {
  switch (x) {
    case 0: return odd(x);
    case 1: return 17;
    case 2: return abs(x) + 4;
    case 3: return x * x;
    case 4: return 2;
    default: return -x;
  }
}
static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void) {
  int v[100], sum = 0;
  for (int i = 0; i < 100; i++) v[i] = i * 37 % 101;
  qsort(v, 100, sizeof *v, order);
  for (int i = 0; i < 100; i++) sum += pick(i % 7) + odd(v[i]);
  return sum == 0;
}
C
cc -O1 -g -fno-inline -o prog prog.c
run() { valgrind -q --tool=callgrind --dump-instr=yes --collect-jumps=yes "$@" ./prog; }
run --callgrind-out-file=cg
run --callgrind-out-file=plain --dump-line=no --compress-pos=no --compress-strings=no
twinrun profile convert --binary prog cg -o cg.fdata >out
has out "cg: callgrind" "written to cg.fdata as fdata"
not grep -q "do not fit" out
twinrun profile convert --binary prog plain --output-format fdata >plain.fdata
same cg.fdata plain.fdata
grep -qE '^1 main [0-9a-f]+ 1 pick/1 0 0 100$' cg.fdata
grep -qE '^0 \[unknown\] 0 1 main 0 0 1$' cg.fdata
grep -qE '^0 \[unknown\] 0 1 order/1 0 0 [0-9]+$' cg.fdata # by qsort
# All formats with edges give the same counts again.
for format in fdata preagg callgrind; do
  twinrun profile convert --binary prog cg --output-format $format -o again.$format >/dev/null
  twinrun profile convert --binary prog again.$format --output-format fdata >again
  same cg.fdata again
  twinrun profile score --binary prog again.$format cg --json >score
  json score 'd["block_overlap"] > 0.9999 and d["edge_overlap"] > 0.9999 and d["coverage"] == 1'
done
callgrind_annotate again.callgrind >annotated
has annotated "prog.c:odd" "prog.c:pick"
twinrun profile convert --binary prog cg --output-format json >counts
json counts 'd["schema"] == "twinrun.profile-counts.v1" and d["exact"]'
json counts '[f["entries"]["count"] for f in d["functions"] if f["name"] == "pick"] == [100]'
# Twice the same is twice the counts, and the same profile.
twinrun profile merge --binary prog cg cg.fdata -o two.json >/dev/null
json two.json '[f["entries"]["count"] for f in d["functions"] if f["name"] == "pick"] == [200]'
json two.json 'not d["exact"]'
# Without addresses there is nothing to go by.
valgrind -q --tool=callgrind --callgrind-out-file=lines ./prog
status 2 twinrun profile convert --binary prog lines --output-format fdata 2>err
has err "error[F003]" "--dump-instr=yes"
# Without jumps, blocks are known and edges are not.
valgrind -q --tool=callgrind --dump-instr=yes --callgrind-out-file=blocks ./prog
twinrun profile convert --binary prog blocks --output-format json >counts
json counts 'all(e["count"] is None for f in d["functions"] for e in f["edges"])'

# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The index of an instruction leads back to it, and to the corresponding one of another run.
needs_recorder
cat >prog.c <<'C'
#include <stdlib.h>
__attribute__((noinline)) static int leaf(int n) { return n * 2; }
__attribute__((noinline)) static int work(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) {
    if (i == 1) continue;
    sum += leaf(i);
  }
  return sum;
}
int main(int argc, char **argv) { return work(atoi(argv[1])) + work(atoi(argv[2])); }
C
musl-gcc -static -g -O0 -o prog prog.c
status 14 twinrun record -o a -- ./prog 3 4
status 14 twinrun record -o b -- ./prog 4 3
twinrun index --at leaf#4 a >out
has out "prog.c:2 leaf" "call" "prog.c:11 main" "branch" "prog.c:5 work"
step=$(awk 'NR == 1 { print $1 }' out)
index=$(tail -1 out)
twinrun index --find "$index" a >back
same out back
# The second call of leaf in the second call of work: there, too, but at another step.
twinrun index --find "$index" b >there
has there "$index"
test "$step" != "$(awk 'NR == 1 { print $1 }' there)"
twinrun index --json --at leaf#4 a >json
json json 'd["schema"] == "twinrun.index.v1" and d["path"][-1]["kind"] == "call"'
json json 'any(e["kind"] == "branch" and e["count"] > 1 for e in d["path"])'
# The third call of leaf in the second call of work exists in one run only.
index=$(twinrun index --at leaf#5 a | tail -1)
status 2 twinrun index --find "$index" b 2>err
has err "A004"
status 2 twinrun index a 2>err
has err "C008"

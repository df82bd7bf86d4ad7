# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Two runs of one program: where they part, why, and where they meet again.
needs_recorder
cat >prog.c <<'C'
#include <stdio.h>
static int odd(int n) { return n % 2; }
int main(int argc, char **argv) {
  FILE *in = fopen(argv[1], "r");
  int sum = 0;
  for (int c; (c = getc(in)) != EOF;) {
    if (odd(c))
      sum += 3;
    else
      sum -= 1;
  }
  fclose(in);
  return sum & 1;
}
C
musl-gcc -static -g -O0 -o prog prog.c
printf 'abcdefgh' >good
printf 'abcdegghh' >bad
status 0 twinrun record -o a -- ./prog good
status 1 twinrun record -o b -- ./prog bad
# A run does not diverge from itself, nor from another one of the same command.
status 0 twinrun record -o a2 -- ./prog good
status 0 twinrun align a a >out
has out "do not diverge" "100%"
status 0 twinrun align a a2 >out
status 1 twinrun align a b >out
has out "first divergence: prog.c:7 main" "goes to prog.c:10 main" "goes to prog.c:8 main" \
  "from system call read" "good, byte 5" "bad, byte 5" "prog.c:6 main"
twinrun align --regions --limit 0 --json a b >json || true
json json 'd["schema"] == "twinrun.align.v1" and d["divergences"][0]["at"]["line"] == 7'
json json '[r["kind"] for r in d["threads"][0]["regions"]][:3] == ["aligned", "disaligned", "aligned"]'
json json 'all(sum(r[s][1] - r[s][0] for r in d["threads"][0]["regions"]) == d[s]["instructions"] for s in "ab")'
json json 'sum(r["a"][1] - r["a"][0] for r in d["threads"][0]["regions"] if r["kind"] == "aligned") == d["aligned"]'
# Anchors.
status 1 twinrun align --anchor main a b >out
has out "behind the anchor" "first divergence: prog.c:7 main"
status 1 twinrun align --anchor first-input a b >out
has out "behind the anchor" "first divergence: prog.c:7 main"
status 2 twinrun align --anchor nothing a b 2>err
has err "A003"
# What is to be ignored is counted.
echo 'prog.c:7  # known' >ignore
status 1 twinrun align --ignore ignore a b >out
has out "1 divergences ignored"
not grep -q "first divergence: prog.c:7" out
status 1 twinrun align --only-exe a b >out
has out "first divergence: prog.c:7 main"
# Other programs, other builds, a cut recording.
status 0 twinrun record -o other -- true
status 2 twinrun align a other 2>err
has err "A001"
musl-gcc -static -g -O1 -o prog prog.c
status 0 twinrun record -o built -- ./prog good
status 2 twinrun align a built 2>err
has err "A002" "two different builds"
musl-gcc -static -g -O0 -o prog prog.c
# Control flow alone suffices; then there are no values.
status 0 twinrun record --control-flow-only -o ca -- ./prog good
status 1 twinrun record --control-flow-only -o cb -- ./prog bad
status 1 twinrun align ca cb >out
has out "first divergence: prog.c:7 main"
not grep -q "system call" out
twinrun pack -o ./whole.twin a
head -c $(($(stat -c %s whole.twin) - 64)) whole.twin >cut.twin
status 0 twinrun align ./whole.twin ./cut.twin >out 2>err || true
has err "is a prefix"

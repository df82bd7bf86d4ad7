# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Two recordings from a function on are compared from there; the way to the cause ends at what was there by then.
needs_recorder
cat >sums.c <<'C'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int scale, file;
__attribute__((noinline)) static void prepare(const char *text, const char *name) {
  char c;
  scale = atoi(text);
  file = open(name, O_RDONLY);
  (void)!read(file, &c, 1);
}
__attribute__((noinline)) static int work(int start) {
  char c[4] = "";
  int sum = start;
  (void)!read(file, c, 3);
  for (int i = 0; i < 3; ++i)
    sum += scale * (c[i] - '0');
  return sum;
}
int main(int argc, char **argv) {
  prepare(argv[1], argv[2]);
  printf("%d\n", work(atoi(argv[3])));
  return argc == 9;
}
C
gcc -g -O1 -o sums sums.c
echo 5123 >one
echo 5153 >other
record() { twinrun record -q --force -o "$1.twin" --from work -- ./sums "${@:2}" >/dev/null; }
record a 2 one 10
record b 2 other 10
status 1 twinrun why a.twin b.twin >out 2>log
has out "from work on" "They differ because $PWD/other, byte 2 has '5' where $PWD/one has '2'"
record b 3 one 10
status 1 twinrun why a.twin b.twin >out 2>log
has out "what was there when the recording began is 2 in A, 3 in B" "sums.c:17"
record b 2 one 11
status 1 twinrun why a.twin b.twin >out 2>log
has out "what was there when the recording began is 10 in A, 11 in B"
status 1 twinrun why --json a.twin b.twin >out
json out 'd["a"]["from"] == "work"'
# Arguments are told, however late it begins.
twinrun record -q --force -o a.twin --from atoi -- ./sums 2 one 10 >/dev/null
twinrun record -q --force -o b.twin --from atoi -- ./sums 2 one 11 >/dev/null
status 1 twinrun why a.twin b.twin >out 2>log
has out "argv[3]"
twinrun align --json a.twin a.twin >out
json out 'len(d["divergences"]) == 0'

# A program of the system with a long start.
command -v lua5.4 >/dev/null || skip "lua5.4 is not installed"
cat >script.lua <<'L'
local sum = 0
for line in io.lines(arg[1]) do sum = sum + tonumber(line) end
print(sum)
L
seq 50 >numbers
sed 's/^17$/71/' numbers >wrong
count() { twinrun info --json "$1" | python3 -c 'import json, sys; print(json.load(sys.stdin)["instructions"])'; }
twinrun record -o whole.twin -- lua5.4 script.lua numbers >native
for which in numbers wrong; do
  twinrun record -o "$which.twin" --from luaL_loadfilex -- lua5.4 script.lua "$which" >"$which.out"
  twinrun verify "$which.twin"
done
same native numbers.out
(($(count numbers.twin) < $(count whole.twin))) || fail "$(count numbers.twin) of $(count whole.twin) instructions"
status 1 twinrun why numbers.twin wrong.twin >out 2>log
has out "wrong"

# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What a user asks about instead of the end: a place, a value, a byte of the output, the exit status.
needs_recorder
tiny_header
cat >prog.c <<'C'
#include "tiny.h"
static int twice(int n) {
  return n + n;
}
int main(int argc, char **argv) {
  int first = argv[1][0] - '0';
  int second = argv[2][0] - '0';
  int sum = 0;
  for (int i = 0; i < 3; i++) {
    sum += twice(second) + i;
  }
  int same = argc * 2;
  same++;
  if (second > 5) {
    print("large\n", 6);
  }
  char line[] = "0 7\n";
  line[0] += first;
  print(line, 4);
  return first == 9 ? 3 : 0;
}
C
cc -static -nostdlib -g -O0 -o prog prog.c
twinrun record -q -o a -- ./prog 1 2 >out.a
status 3 twinrun record -q -o b -- ./prog 9 8 >out.b
# A value at the last execution that both have in common, or at another one.
status 1 twinrun why --at prog.c:10 --value sum a b >out
tells out "They differ because argv[2] is" \
  "D1  sum at prog.c:10#3  9 | 33" "prog.c:10  sum += twice(second) + i;"
status 0 twinrun why --at prog.c:10#1 --value sum a b >out
has out "No difference: sum at prog.c:10#1 is the same in both runs: 0"
status 1 twinrun why --at prog.c:19 --value first a b >out
tells out "D1  first at prog.c:19#1  1 | 9" "They differ because argv[1] is"
status 0 twinrun why --at twice#2 --value rsp a b >out
has out "rsp at twice#2 is the same in both runs"
# A line: what it uses, also behind the call in it, but not what the call does.
status 1 twinrun why --json --at prog.c:10 a b >json
json json 'd["target"]["kind"] == "place" and d["target"]["text"] == "prog.c:10#3 uses different values"'
json json 'd["graph"]["nodes"][0]["b"]["line"] == 10 and not any(n.get("target") and n["b"]["function"] != "main" for n in d["graph"]["nodes"])'
json json '"argv[2]" in d["verdict"]'
status 0 twinrun why --at prog.c:13 a b >out
has out "No difference at prog.c:13#1: both runs execute it with the same values"
# A step of B.
step=$(python3 -c 'import json; print(json.load(open("json"))["graph"]["nodes"][0]["b"]["step"])')
status 1 twinrun why --at "$step" a b >out
has out "D1  step $step of B uses different values" "argv[2] is"
# Only one of them comes there.
status 1 twinrun why --at prog.c:15 a b >out
tells out "D1  prog.c:15#1  not executed | executed" "prog.c:14  if (second > 5) {  second = 2 | 8" "argv[2]"
status 1 twinrun why --at prog.c:15 --value second b a >out
tells out "D1  prog.c:15#1  executed | not executed" "second has a value in A only"
# A byte of the output, in both, in one, or the same.
same <(printf 'large\n9 7\n') out.b
status 1 twinrun why --output 1:0 a b >out
tells out 'D1  standard output, byte 0  "1 7" | "large"'
status 1 twinrun why --output 1:6 a b >out
tells out 'D1  standard output, byte 6  nothing | "9 7"'
status 0 twinrun why --output 1:1 b b >out
has out "No difference: standard output, byte 1 is the same in both runs: 'a'"
# A byte of B that is known to be wrong, though A has the same one there.
status 1 twinrun why --wrong 1:8 a b >out
has out 'D1  standard output, byte 8' '"9 7"'
# The exit status.
status 1 twinrun why --json --exit a b >json
json json 'd["target"]["kind"] == "exit" and (d["target"]["a"], d["target"]["b"]) == ("0", "3")'
twinrun record -q -o c -- ./prog 1 8 >/dev/null
status 0 twinrun why --exit a c >out
has out "No difference: both runs ended alike: exit status 0"
# The page, too.
status 1 twinrun report --json --at prog.c:19 --value first a b >json
json json '"argv[1]" in str(d)'
# Wrong use.
wrong() { # code text flags...
  local code=$1 text=$2
  shift 2
  local got=0
  twinrun why "$@" a b >/dev/null 2>err || got=$?
  ((got == 2)) || fail "status $got: $*"
  has err "error[$code]" "$text"
}
wrong V004 "there is no code for line 'nofile.c:3'" --at nofile.c:3
wrong V004 "there is no code for line 'prog.c:1'" --at prog.c:1
wrong V004 "there is no function 'nothing'" --at nothing
wrong V004 "prog.c:10 was executed 3 times" --at prog.c:10#4
wrong T008 "" --at 99999999
wrong P003 "(in B)" --at prog.c:10 --value nothing
wrong V006 "A has written 4 bytes there, B 10" --output 1:10
wrong V006 "there is no byte 0 of what was written to descriptor 7" --output 7:0
wrong C003 "is no byte of an output" --output 1
wrong V006 "B has written no byte 10 to 1" --wrong 1:10
wrong C003 "is no byte of an output" --wrong 1:x
wrong C008 "only one of" --exit --output 1:0
wrong C004 "--value needs --at" --value sum

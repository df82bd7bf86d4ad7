# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# slice and index agree about which branch or call decides a statement, also where a call before it can throw: what
# follows a call does not depend on its not throwing.
needs_recorder
cat >prog.cc <<'C'
#include <cstdlib>
static volatile int at;
__attribute__((noinline)) static void check(int n) {
  if (n > 5) throw n;
  at = 5;
}
__attribute__((noinline)) static void work(int n) {
  try {
    check(n);
    at = 10;
    check(n + 1);
    at = 12;
    if (n > 2)
      at = 14;
  } catch (int) {
    at = 16;
  }
  at = 18;
}
int main(int, char **argv) {
  work(atoi(argv[1]));
  return 0;
}
C
g++ -static -g -O0 -o prog prog.cc
twinrun record -q -o returns -- ./prog 3
twinrun record -q -o throws -- ./prog 5
# decided RECORDING LINE BY KIND: both verbs say that the line was decided by that line's branch or call.
decided() {
  local recording=$1 line=$2 by=$3 kind=$4
  twinrun slice --at "prog.cc:$line" --limit 2 --json "$recording" >slice.json
  twinrun index --at "prog.cc:$line" --json "$recording" >index.json
  json slice.json '[r["line"] for r in d["rows"]] == ['"$line, $by"'] and [e["kind"] for e in d["edges"]] == ["control"]'
  json index.json '[(e["kind"], e["at"].get("line")) for e in d["path"]
                    if e["kind"] in ("call", "branch")][-1] == ("'"$kind"'", '"$by"')'
}
# A branch decides whether a call that does not return is avoided. In a run that never makes that call, the slice says
# so, too; the index has no entry for what could not have gone on.
decided throws 5 4 branch
twinrun slice --at prog.cc:5 --limit 2 --json returns >slice.json
json slice.json '[r["line"] for r in d["rows"]] == [5, 4]'
twinrun index --at prog.cc:5 --json returns >index.json
json index.json '[e["kind"] for e in d["path"]][-1] == "call"'
decided returns 10 21 call
decided returns 12 21 call
decided returns 14 13 branch
decided returns 18 21 call
decided throws 10 21 call
decided throws 16 21 call
decided throws 18 21 call
# Only the index knows that an exception is being handled, and no longer once it has been.
unwinding() {
  twinrun index --at "prog.cc:$2" --json "$1" >index.json
  json index.json '[e["at"]["line"] for e in d["path"] if e["kind"] == "unwinding"] == ['"$3"']'
}
unwinding throws 16 11
unwinding throws 18 ''

# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Callers and callees of a function, and the source lines of its blocks.
needs_recorder
cat >prog.c <<'C'
#define KEEP __attribute__((noinline, noclone))
static volatile int sink;
KEEP int leaf(int x) { return sink = x; }
KEEP int other(int x) { return leaf(x) + leaf(x + 1); }
KEEP int jumps(int x) { return other(x * 2); }
int main(int argc, char **argv) {
  (void)argv;
  int (*volatile pointer)(int) = jumps;
  for (int i = 0; i < 5; ++i) sink += other(i);
  return pointer(argc) == 0;
}
C
gcc -O2 -g -o prog prog.c
twinrun cfg other --in ./prog --calls >out
has out "calls " "leaf" "called by" "main" "tail" "jumps"
twinrun cfg main --in ./prog >out
has out "LINE" "prog.c:"
twinrun record -q -o run -- ./prog
twinrun cfg other --in run --json >out.json
json out.json '[(c["function"], c["count"]) for c in d["callees"]] == [("leaf", 6), ("leaf", 6)]'
json out.json 'sorted((c["function"], c["kind"], c["count"]) for c in d["callers"]) == [("jumps", "tail", 1), ("main", "call", 5)]'
json out.json 'd["blocks"][0]["line"] == "prog.c:4"'
twinrun cfg main --in run --calls >out
has out "observed" "jumps"

# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Repeated calls from one place become one row; tail calls, signals and threads have their marks.
needs_recorder
cat >prog.c <<'C'
#include <pthread.h>
#include <signal.h>
#define KEEP __attribute__((noinline, noclone))
static volatile int sink;
KEEP int leaf(int x) { return sink = x; }
KEEP int second(int x) { return leaf(x) + 1; }
KEEP int first(int x) { return second(x * 2); }
static void handler(int sig) { leaf(sig); }
static void *work(void *p) { leaf(7); return p; }
int main(void) {
  for (int i = 0; i < 100; ++i) leaf(i);
  first(20);
  signal(SIGUSR1, handler);
  raise(SIGUSR1);
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  pthread_join(t, 0);
  return 0;
}
C
gcc -O2 -g -pthread -o prog prog.c
twinrun record -q -o run -- ./prog
twinrun calls --limit 0 run >out
has out "leaf(x = 0) = 0" "leaf(x = 2) = 2" "leaf x 97 more" "first(x = 20) -> second = 41" "on SIGUSR1" "2."
not grep -q "leaf(x = 3)" out
twinrun calls --limit 0 --fold 0 run >out
has out "leaf(x = 3) = 3" "leaf(x = 99) = 99"
twinrun calls --thread 2 --json run >out.json
json out.json 'all(r["position"].startswith("1.2.") for r in d["rows"]) and any(r["function"] == "leaf" for r in d["rows"])'
twinrun calls --function leaf --fold 0 --limit 0 --json run >out.json
json out.json 'len(d["rows"]) == 103 and len({r["position"] for r in d["rows"]}) == 103'
step=$(python3 -c 'import json; print(json.load(open("out.json"))["rows"][50]["position"].split(".")[2])')
twinrun calls --function leaf --fold 0 --range "$step..+1" --json run >out.json
json out.json '[r["arguments"][0]["value"] for r in d["rows"]] == ["50"]'

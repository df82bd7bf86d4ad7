# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Folded stacks: every instruction once, under its callers, across tail calls, longjmp, signals,
# threads and forks.
needs_recorder
cat >prog.c <<'C'
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#define KEEP __attribute__((noinline, noclone))
static volatile int sink;
static jmp_buf back;
KEEP int leaf(int x) { for (int i = 0; i < x; ++i) sink += i; return sink; }
KEEP int second(int x) { return leaf(x) + 1; }
KEEP int first(int x) { return second(x * 2); }
KEEP void leaves(int x) { leaf(x); longjmp(back, 1); }
KEEP void behind(int x) { leaf(x); sink++; }
KEEP void jumps(int x) { if (setjmp(back) == 0) leaves(x); behind(x); sink++; }
static void handler(int sig) { leaf(sig); sink++; }
KEEP int deep(int n) { return n == 0 ? leaf(3) : deep(n - 1) + sink; }
static void *work(void *p) { leaf(7); sink++; return p; }
int main(int argc, char **argv) {
  first(20 + argc);
  jumps(5);
  signal(SIGUSR1, handler);
  raise(SIGUSR1);
  deep(40);
  if (argv[1][0] == 't') {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
  } else if (argv[1][0] == 'f') {
    if (fork() == 0) { jumps(2); _exit(0); }
    wait(0);
  }
  return 0;
}
C
gcc -O2 -g -pthread -o prog prog.c
cat >check.py <<'PY'
import collections, json, re, subprocess, sys
def rows(name):
    out = {}
    for line in open(name):
        stack, count = re.fullmatch(r"(\S.*) (\d+)\n", line).groups()
        assert stack not in out and int(count) > 0
        out[stack] = int(count)
    return out
def instructions(run):
    return json.loads(subprocess.run(["twinrun", "info", "--json", run], check=True, capture_output=True).stdout)["instructions"]
def own(stacks):
    by = collections.Counter()
    for stack, count in stacks.items():
        by[stack.split(";")[-1]] += count
    return by
runs = {run: rows(run + ".folded") for run in ("one", "threads", "forks")}
for run, stacks in runs.items():
    assert sum(stacks.values()) == instructions(run), run
one = runs["one"]
def below(stack):
    return [s.split(";main", 1)[1] for s in one if s.endswith(stack) and ";main;" in s]
# A tail call takes its caller's place; longjmp goes back to its own frame; a handler is below raise.
assert below(";second;leaf") == [";second;leaf"], below(";second;leaf")
assert below(";leaves;leaf") == [";jumps;leaves;leaf"] and below(";behind;leaf") == [";jumps;behind;leaf"]
assert any(re.fullmatch(r";.*raise.*;handler;leaf", s) for s in below(";handler;leaf")), below(";handler;leaf")
assert below(";deep" * 3) and not any(s.startswith("prog ") for s in one)
threads = runs["threads"]
assert any(re.fullmatch(r"thread 2;.*;work;leaf", s) for s in threads) and any(s.startswith("thread 1;") for s in threads)
forks = runs["forks"]
assert any(s.startswith("prog 1;") and s.endswith(";deep;leaf") for s in forks)
# The child's calls are below those that were under way at the fork.
assert any(re.fullmatch(r"prog 2;.*;main;jumps;leaves;leaf", s) for s in forks), [s for s in forks if s.startswith("prog 2")]
# What `diff` says about functions is the same.
diff = json.load(open("diff.json"))
other = rows("longer.folded")
seen = 0
for f in diff["functions"]:
    if f["function"] in ("leaf", "main", "first", "second"):
        name = f["function"]
        assert [own(one)[name], own(other)[name]] == f["instructions"], (f, own(one)[name], own(other)[name])
        seen += 1
assert seen >= 1, diff["functions"]
pairs = {}
for line in open("pair.folded"):
    stack, a, b = re.fullmatch(r"(\S.*) (\d+) (\d+)\n", line).groups()
    pairs[stack] = (int(a), int(b))
assert {s: a for s, (a, b) in pairs.items() if a} == one and {s: b for s, (a, b) in pairs.items() if b} == other
PY
twinrun record -q -o one -- ./prog one
twinrun record -q -o longer -- ./prog one more
twinrun record -q -o threads -- ./prog threads
twinrun record -q -o forks -- ./prog forks
for run in one threads forks longer; do twinrun export "$run" --format folded >$run.folded; done
twinrun export one longer --format folded >pair.folded
status 1 twinrun diff --stat --json one longer >diff.json
python3 check.py

# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Functions and lines that are not alone with their name; exceptions, threads, signals and processes.
needs_recorder
cat >tools.h <<'C'
inline int twice(int n) {
  return n + n;
}
C
cat >a.cc <<'C'
#include "tools.h"
#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
namespace deep {
struct Guard {
  int *count;
  ~Guard() { ++*count; }
};
__attribute__((noinline)) int thrower(int n) {
  if (n % 3 == 0)
    throw std::runtime_error("three");
  return n;
}
__attribute__((noinline)) int middle(int n, int *guards) {
  Guard guard{guards};
  int r = thrower(n);
  return r + 1;
}
__attribute__((noinline)) int catcher(int n, int *guards) {
  try {
    return middle(n, guards);
  } catch (const std::exception &) {
    return -1;
  }
}
void idle() {} }  // namespace deep
static volatile int signals;
extern "C" void handler(int) {
  signals = signals + 1;
}
static __attribute__((noinline)) int same(int n) {
  return n + 1;
}
int other(int n);
__attribute__((noinline)) void work(int turns) {
  for (volatile int i = 0; i < turns; ++i)
    same(i);
}
int main() {
  int guards = 0, sum = 0;
  for (int i = 1; i <= 10; ++i)
    sum += deep::catcher(i, &guards);
  signal(SIGUSR1, handler);
  for (int i = 0; i < 4; ++i)
    raise(SIGUSR1);
  std::thread thread(work, 5);
  thread.join();
  work(2);
  sum += other(3) + twice(4);
  if (fork() == 0) {
    work(3);
    _exit(0);
  }
  wait(nullptr);
  printf("%d %d\n", sum, guards);
}
C
cat >b.cc <<'C'
static __attribute__((noinline)) int same(int n) {
  return n - 1;
}
int other(int n) {
  return same(n);
}
C
g++ -g -O0 -c a.cc && g++ -g -O1 -c b.cc && g++ -o prog a.o b.o -pthread
twinrun record -q -o run -- ./prog >/dev/null

# An exception ends invocations; the landing pad goes on in the one that catches or cleans up.
twinrun paths run --in deep::catcher ':25 :26 :27' >out
has out "3 executions" "interrupted by calls of" "deep::middle"
twinrun paths run --in _ZN4deep6middleEiPi ':20 :21' >out
has out "7 executions"
twinrun paths run --in deep::thrower ':14 :15' >out
has out "3 executions"

status 1 twinrun paths run --in deep::idle ':30' >out
has out "deep::idle was not executed"

# A signal handler is an invocation of its own.
twinrun paths run --in handler ':33' >out
has out "4 executions"

# Several functions of one name, and how to say which.
status 2 twinrun paths run --in same ':2' 2>err
has err "Q004" "2 functions are named same" "FILE:NAME"
twinrun paths run --in b.cc:same b0 >out
has out "1 execution of"
twinrun paths run --in a.cc:same ':36' --json >out.json
# The thread 5, the main thread 2, the child 3.
json out.json 'd["count"] == 10 and sorted(r["count"] for r in d["runs"][0]["rows"]) == [2, 3, 5]'
json out.json 'len({(r["process"], r["thread"]) for r in d["runs"][0]["rows"]}) == 3'
twinrun paths run --in a.cc:same ':36' >out
has out "COUNT" "FIRST"
twinrun paths run --in prog!work ':40 :41 :40' >out
has out "10 executions"

# The same number in two files.
cat >c.c <<'C'
#include <stdio.h>
#include "tools2.h"
int main(void) {
  int n = getchar();
  n = helper(n);
  if (n > 3)
    puts("x");
  return 0;
}
C
cat >tools2.h <<'C'
static inline __attribute__((always_inline)) int helper(int n) {
  int r = 0;
  for (int i = 0; i < 3; ++i)
    r += i * n;
  r ^= n;
  return r;
}
C
gcc -g -O0 -o prog2 c.c
echo x | twinrun record -q -o two -- ./prog2 >/dev/null
status 2 twinrun paths two --in main ':5' 2>err
has err "Q006" "c.c:5" "tools2.h:5"
twinrun paths two --in main 'tools2.h:3 tools2.h:4 tools2.h:3' >out
has out "3 executions"

# Two builds are compared by lines.
sed 's/puts("x")/puts("y")/; s/n > 3/n > 300000/' c.c >c2.c && mv c2.c c.c && gcc -g -O0 -fno-pie -no-pie -o prog3 c.c
echo x | twinrun record -q -o three -- ./prog3 >/dev/null
status 1 twinrun paths two three --diff --in main >out
has out "paths of A only" "c.c:5 6 7 8 9" "c.c:5 6 8 9"

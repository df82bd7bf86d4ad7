# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The calls under way, with arguments that a debugger has lost, also where the stack was overwritten.
needs_recorder
cat >prog.c <<'P'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct item { const char *name; int count; };
__attribute__((noinline)) static int leaf(const struct item *of, int depth) {
  if (depth == 3) raise(SIGUSR1);
  return of->count / (of->count - depth);
}
__attribute__((noinline)) static int descend(const struct item *of, int depth) {
  if (depth == 5) return leaf(of, depth) + 1;
  return descend(of, depth + 1) + leaf(of, depth);
}
static void handler(int number) { (void)number; }
__attribute__((noinline)) static void spoil(const char *text) {
  char to[8];
  strcpy(to, text);
}
int main(int argc, char **argv) {
  signal(SIGUSR1, handler);
  if (argc > 2) spoil(argv[2]);
  struct item item = {argv[1], atoi(argv[1])};
  printf("%d\n", descend(&item, 1));
  return 0;
}
P
for level in $(levels); do
  # shellcheck disable=SC2086
  cc -g $level -fno-stack-protector -U_FORTIFY_SOURCE -w -o prog prog.c
  status 136 twinrun record -q --force -o dead -- ./prog 5 >/dev/null
  twinrun bt dead >out
  grep -Eq '^#0 +leaf\(of=0x[0-9a-f]+, depth=5\)  prog.c:[89]$' out || fail "no innermost frame: $(<out)"
  [[ $(grep -c ' descend(' out) -ge 4 ]] || fail "not all rounds: $(<out)"
  # The arguments of each, whatever happened to their registers since; -O2 may make one loop of calls.
  grep -Eq '^#[0-9]+ +descend\(of=0x[0-9a-f]+, depth=2\)' out || fail "no arguments: $(<out)"
  grep -Eq '^#[0-9]+ +main\(argc=2, argv=0x[0-9a-f]+\)  prog.c:23$' out || fail "no main: $(<out)"
  twinrun bt --json dead >json
  json json 'd["schema"] == "twinrun.bt.v1" and d["frames"][0]["function"] == "leaf" and not d["lost"]'
  json json 'd["frames"][0]["arguments"][1] == {"name": "depth", "value": "5", "value_typed": 5} and d["frames"][0]["line"] in (8, 9)'
  twinrun bt --limit 2 dead >out
  has out "more frames: --limit"
  # In a signal handler, and in front of a call.
  twinrun record -q --force -o alive -- ./prog 9 >/dev/null
  twinrun bt --at handler alive >out
  has out "#0   handler(number=10)" "leaf(" "main("
  # The return address is gone, the callers are not.
  status 139 twinrun record -q --force -o spoilt -- ./prog 9 "$(printf 'x%.0s' {1..40})" 2>/dev/null
  twinrun bt spoilt >out
  has out "#0   spoil("
  grep -q ' main' out || fail "a spoilt stack hides the caller: $(<out)"
done
status 2 twinrun bt --thread 9 dead 2>err
has err "error[T008]" "has no thread 9"

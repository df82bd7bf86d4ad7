# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Arguments and results are those that the program itself prints, with and without optimization.
needs_recorder
cat >prog.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#define KEEP __attribute__((noinline))
struct small { int x, y; };
struct mixed { double d; long n; };
struct large { long a, b, c; };
enum color { kRed, kGreen };
static int log_n;
#define SAY(...) (printf(__VA_ARGS__), log_n++)
KEEP int add(int a, int b) { int r = a + b; SAY("add(a = %d, b = %d) = %d\n", a, b, r); return r; }
KEEP double half(double x) { SAY("half(x = %g) = %g\n", x, x / 2); return x / 2; }
KEEP float third(char c, float x) { SAY("third(c = %d '%c', x = %g) = %g\n", c, c, x, x * 2); return x * 2; }
KEEP long seven(long a, long b, long c, long d, long e, long f, short g) {
  SAY("seven(a = %ld, b = %ld, c = %ld, d = %ld, e = %ld, f = %ld, g = %d) = %ld\n", a, b, c, d, e, f, g, a - g);
  return a - g;
}
KEEP unsigned char low(unsigned long v) { SAY("low(v = %lu) = %u '%c'\n", v, (unsigned)(v & 127), (int)(v & 127)); return v & 127; }
KEEP struct small turn(struct small s) {
  struct small r = {-s.y, s.x};
  SAY("turn(s = {x = %d, y = %d}) = {x = %d, y = %d}\n", s.x, s.y, r.x, r.y);
  return r;
}
KEEP struct mixed mix(struct mixed m, int k) {
  struct mixed r = {m.d + k, m.n - k};
  SAY("mix(m = {d = %g, n = %ld}, k = %d) = {d = %g, n = %ld}\n", m.d, m.n, k, r.d, r.n);
  return r;
}
KEEP struct large grow(struct large l, int k) {
  struct large r = {l.a + k, l.b + k, l.c + k};
  SAY("grow(l = {a = %ld, b = %ld, c = %ld}, k = %d) = {a = %ld, b = %ld, c = %ld}\n", l.a, l.b, l.c, k, r.a, r.b, r.c);
  return r;
}
KEEP const char *skip(const char *s, int n) { SAY("skip(s = %p \"%s\", n = %d) = %p \"%s\"\n", (void *)s, s, n, (void *)(s + n), s + n); return s + n; }
KEEP enum color next(enum color c) { SAY("next(c = %s) = %s\n", c == kRed ? "kRed" : "kGreen", c == kRed ? "kGreen" : "kRed"); return c == kRed ? kGreen : kRed; }
KEEP void nothing(_Bool b) { SAY("nothing(b = %s)\n", b ? "true" : "false"); }
KEEP long fact(int n) {
  long r = n < 2 ? 1 : n * fact(n - 1);
  SAY("fact(n = %d) = %ld\n", n, r);
  return r;
}
int main(int argc, char **argv) {
  int (*volatile pointer)(int, int) = add;
  add(argc, 41);
  pointer(-7, 3);
  half(0.5);
  third('q', 1.25f);
  seven(1, -2, 3, -4, 5, -6, (short)-7);
  low(0x1241ul);
  turn((struct small){argc, 5});
  mix((struct mixed){1.5, 9}, argc);
  grow((struct large){1, 2, 3}, 10);
  skip("constant", argc);
  skip(argv[1], 2);
  next(argc > 5);
  nothing(argc == 2);
  fact(4);
  return log_n == 0;
}
C
for build in "gcc -O0" "gcc -O2" "clang-19 -O0" "clang-19 -O2"; do
  command -v "${build% *}" >/dev/null || continue
  $build -g -o prog prog.c
  twinrun record -q --force -o run -- ./prog argument | sort >told
  # Calls of the program's own functions, in the tree of main.
  twinrun calls --function main --fold 0 --limit 0 --json run >out.json
  python3 - told <<'P' >got
import json
d = json.load(open("out.json"))
assert d["schema"] == "twinrun.calls.v1"
lines = []
for row in d["rows"]:
    if row["module"] != "prog" or row["function"] == "main": continue
    assert row["ends"] == "return" and row["file"].endswith("prog.c") and row["line"] > 0, row
    text = row["function"] + "(" + ", ".join(f"{a['name']} = {a['value']}" for a in row["arguments"]) + ")"
    lines.append(text + (f" = {row['result']}" if "result" in row else ""))
print("\n".join(sorted(lines)))
P
  # What is optimized away in the callee cannot be known; nothing may be known wrongly.
  if [[ $build == *-O0 ]]; then
    same told got
  else
    python3 - "$build" <<'P'
import re, sys
told, got = open("told").read().splitlines(), open("got").read().splitlines()
assert len(told) == len(got), (len(told), len(got))
unknown = 0
for line in got:
    pattern = re.escape(line).replace(re.escape("<optimized out>"), ".*")
    unknown += "<optimized out>" in line
    match = [t for t in told if re.fullmatch(pattern, t)]
    assert match, (line, told)
    told.remove(match[0])
assert unknown <= 4, unknown
P
  fi
done
twinrun calls run >out
has out "STEP  INSTRUCTIONS  FROM" "main(argc = 2, argv = 0x" "|- add(a = 2, b = 41) = 43" "more calls, and what they call: --limit"
twinrun calls --function fact --depth 1 --stack run >out
has out "fact(n = 4) = 24  in main"
[[ $(grep -c 'fact(n' out) == 1 ]] || fail "deeper calls are shown"
has out "calls further down: --depth"
status 2 twinrun calls --function nosuch run 2>err
has err "P011"
status 2 twinrun calls --process 77 run 2>err
has err "T008"
strip prog -o prog.stripped
twinrun record -q --force -o run -- ./prog.stripped argument >/dev/null
twinrun calls --registers run >out
has out "prog.stripped+0x" "rdi = 0x2, rsi = 0x29" "printf("
twinrun record -q --force --control-flow-only -o run -- ./prog argument >/dev/null
twinrun calls run >out 2>err
has out "add(a, b)"
has err "the recording has no values"

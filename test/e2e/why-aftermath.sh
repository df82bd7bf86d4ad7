# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What a run does because it has failed (reports, unwinding, cleaning up, exit) comes behind what led to that: the answer
# says where it gave up, and no line of the aftermath is more suspicious than one in front of it.
needs_recorder
cat >gives_up.cc <<'C'
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
static jmp_buf back;
static char message[99];
static const char *way;
[[noreturn]] __attribute__((noinline)) static void jump(int n) {
  snprintf(message, sizeof message, "%d is too large", n); /* aftermath 10-13 */
  for (char *c = message; *c != 0; ++c)
    if (*c == ' ') *c = '_';
  longjmp(back, n);
}
[[noreturn]] __attribute__((noinline)) static void die(int n) {
  const char *size = n > 1000 ? "huge" : "large"; /* aftermath 16-18 */
  printf("error: %s\n", size);
  exit(n > 1000 ? 4 : 3);
}
__attribute__((noinline)) static int scale(int n) {
  return n > 4 ? n * 30 : n; /* the cause: 21 */
}
__attribute__((noinline)) static int checked(int n) {
  if (n <= 100) return n;
  if (way[0] == 'j') jump(n);
  if (way[0] == 't') throw std::runtime_error(std::to_string(n));
  die(n);
}
int main(int, char **argv) {
  const int n = atoi(argv[1]);
  way = argv[2];
  if (setjmp(back) != 0) {
    puts(message); /* aftermath 34-35 */
    return 1;
  }
  try {
    printf("%d\n", checked(scale(n)));
  } catch (const std::exception &error) {
    printf("error: %s\n", error.what()); /* aftermath 40-41 */
    return 1;
  }
  return 0;
}
C
for level in $(levels); do
  c++ -g $level -o gives_up gives_up.cc
  for way in jumps throws dies; do
    status 1 twinrun why "./gives_up 3 $way" "./gives_up 5 $way" >out 2>log
    case $way in
      jumps) line=25 ;;
      throws) line=26 ;;
      dies) line=27 ;;
    esac
    has out "B gives up at gives_up.cc:$line"
    status 1 twinrun why --json "./gives_up 3 $way" "./gives_up 5 $way" >json 2>log
    # The lines in the order of suspicion: none of the aftermath in front of the cause, or of the check that found it.
    python3 - json "$level $way" <<'P' || fail "$level $way: the aftermath comes first"
import json, sys
lines = [s["line"] for s in json.load(open(sys.argv[1]))["statements"] if s.get("file", "").endswith("gives_up.cc")]
after = {10, 11, 12, 13, 16, 17, 18, 34, 35, 40, 41}
first = min((i for i, line in enumerate(lines) if line in after), default=len(lines))
led = [i for i, line in enumerate(lines) if line in (21, 24)]
print(sys.argv[2], lines)
sys.exit(0 if led and max(led) < first else 1)
P
  done
done

# A run that got over an error is not at its end there: what it did later counts as ever.
cat >gets_over.cc <<'C'
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
__attribute__((noinline)) static void check(int n) {
  if (n > 4) throw std::runtime_error("large");
}
__attribute__((noinline)) static int twice(int n) {
  if (n > 4) return n * 3; /* the cause */
  return n * 2;
}
int main(int, char **argv) {
  const int n = atoi(argv[1]);
  try {
    check(n);
  } catch (const std::exception &) {
  }
  printf("%d\n", twice(n));
}
C
c++ -g -O0 -o gets_over gets_over.cc
status 1 twinrun why "./gets_over 3" "./gets_over 5" >out 2>log
has out "gets_over.cc:8"
not grep -q "gives up" out

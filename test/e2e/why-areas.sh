# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Arrays of variable length and alloca move all that lies below them: pointers across and into them mean the same.
needs_recorder
cat >areas.c <<'C'
#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int *kept;
__attribute__((noinline)) static int product(const int *x, const int *y) { return *x * *y; }
__attribute__((noinline)) static int across(int n, const int *outer) {
  char room[n];
  memset(room, 'x', n);
  int own = 2;
  return product(outer, &own) + room[n - 1];
}
__attribute__((noinline)) static int into(int n, int value) {
  int own = 3, room[n];
  for (int i = 0; i < n; i++) room[i] = 1;
  room[1] = value;
  kept = &room[1];
  return product(kept, &own);
}
__attribute__((noinline)) static int beside(int n, int value) {
  int *first = alloca((2 * n + 8) * sizeof(int)), own = 4;
  int *second = alloca((n + 4) * sizeof(int));
  memset(first, 0, 4 * sizeof(int));
  memset(second, 0, 4 * sizeof(int));
  first[3] = value, second[2] = 7;
  return product(first + 3, &own) + product(second + 2, &own);
}
__attribute__((noinline)) static int rounds(int n, int value) {
  int sum = 0;
  for (int i = 1; i <= 3; i++) {
    int room[n * i];
    room[0] = value + i;
    sum += product(room, &value);
  }
  return sum;
}
__attribute__((noinline)) static int deep(int n, int depth, const int *value) {
  char room[n * 3 + depth];
  room[0] = 1;
  room[depth] = 1;
  int own = depth;
  if (depth > 0) return deep(n, depth - 1, value) + room[0] * product(value, &own);
  return *value + room[0];
}
int main(int argc, char **argv) {
  int n = atoi(argv[2]), value = atoi(argv[3]);
  switch (argv[1][0]) {
    case 'a': printf("%d\n", across(n, &value)); break;
    case 'i': printf("%d\n", into(n, value)); break;
    case 'b': printf("%d\n", beside(n, value)); break;
    case 'r': printf("%d\n", rounds(n, value)); break;
    case 'd': printf("%d\n", deep(n, 5, &value)); break;
  }
  return 0;
}
C
compilers=(cc)
if ! is_sanitized && command -v clang >/dev/null; then compilers+=(clang); fi
for compiler in "${compilers[@]}"; do
  for level in $(levels); do
    "$compiler" -g $level -w -U_FORTIFY_SOURCE -o areas areas.c
    for kind in a i b r d; do
      twinrun record -q --force -o a.twin -- ./areas $kind 4 5 >said
      twinrun record -q --force -o b.twin -- ./areas $kind 43 6 >said
      status 1 twinrun why --enhance none --json a.twin b.twin >json 2>log
      json json '{n["input_b"]["input"] for n in d["graph"]["nodes"] if n["kind"] == "input"} == {"argv[3]"}' ||
        fail "$compiler $level $kind: something else than argv[3]"
    done
  done
done

# The memory index names what is in an array by the array, and what is beyond it by the frame.
cc -g -O0 -o areas areas.c
twinrun record -q --force -o a.twin -- ./areas i 4 5 >said
twinrun record -q --force -o b.twin -- ./areas i 43 5 >said
status 1 twinrun mem --at areas.c:6 a.twin b.twin >mem
not grep -E 'kept|^pointer' mem
twinrun record -q --force -o a.twin -- ./areas i 4 5 >said
twinrun record -q --force -o b.twin -- ./areas i 43 6 >said
status 1 twinrun mem --at areas.c:6 a.twin b.twin >mem
grep -E '\(stack .* into > area at areas.c:[0-9]+, 0x4\)' mem || { cat mem; fail "the value in the array has another name"; }

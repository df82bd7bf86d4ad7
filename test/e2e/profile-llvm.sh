# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# LLVM's sample profile: lines relative to their function, what was inlined under its call.
command -v valgrind >/dev/null || skip "no valgrind"
cat >prog.c <<'C'
static inline __attribute__((always_inline)) int twice(int x) {
  if (x > 5)
    return 2 * x;
  return x;
}
__attribute__((noinline)) int sum(int n) {
  int out = 0;
  for (int i = 0; i < n; i++)
    out += twice(i);
  return out;
}
int main(void) {
  volatile int n = 1000;
  return sum(n) == 0;
}
C
cc -O1 -g -o prog prog.c
valgrind -q --tool=callgrind --dump-instr=yes --collect-jumps=yes --callgrind-out-file=cg ./prog
twinrun profile convert --binary prog cg --output-format llvm >prof
grep -qE '^sum:[0-9]+:1$' prof
grep -qE '^ 3: twice:[0-9]+$' prof
grep -qE '^ 2: sum|^ 2: 1 sum:1$' prof
profdata=$(command -v llvm-profdata-19 llvm-profdata | head -n 1) || true
if [[ -n $profdata ]]; then
  "$profdata" show --sample prof >shown
  has shown "Function: sum" "twice"
fi
strip -o stripped prog
status 2 twinrun profile convert --binary stripped --object prog cg --output-format llvm 2>err
has err "error[F006]"

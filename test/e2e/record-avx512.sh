# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# AVX-512 code compiled in: the program gets SIGILL, and one line says why and what to do.
needs_recorder
cat >t.c <<'C'
#include <stdio.h>
int main(void) {
  puts("before");
  fflush(stdout);
  __asm__ volatile("vpaddd %zmm0, %zmm1, %zmm2");
  puts("after");
}
C
gcc -w -o t t.c
status 132 twinrun record -o t.twin -- ./t >out 2>err
[[ $(cat out) == before ]] || fail "output: $(cat out)"
has err "W014" "AVX-512" "march"
[[ $(grep -c W014 err) == 1 ]] || fail "said more than once"
twinrun verify t.twin
twinrun info t.twin >said
has said "W014"

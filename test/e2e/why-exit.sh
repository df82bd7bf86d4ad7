# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# exit(2) ends a process before it hands its last block over. What that computed is known all the same.
needs_recorder
cat >prog.c <<'C'
__asm__(".globl _start\n_start: mov (%rsp), %rdi\n lea 8(%rsp), %rsi\n call main\n hlt\n");
static long sys(long number, long argument) {
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(argument) : "rcx", "r11", "memory");
  return result;
}
int main(int argc, char **argv) {
  int sum = 0;
  for (char *p = argv[1]; *p; p++) sum = sum * 31 + *p;
  sys(60, sum & 255);
  return 0;
}
C
cc -static -nostdlib -g -O0 -o prog prog.c
twinrun record -q -o a -- ./prog 12 || true
twinrun record -q -o b -- ./prog 47 || true
status 1 twinrun why a b >out
has out 'argv[1] is "12" in A, "47" in B' "sys(60, sum & 255);"

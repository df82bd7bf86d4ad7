# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A program that catches its own SIGSEGV and ends by itself has crashed all the same: the instruction that could not be
# executed is explained, not the handler's report. What both runs live with is no crash.
needs_recorder
cat >caught.c <<'C'
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static sigjmp_buf back;
static const char *way;
static void on_fault(int signal) {
  if (way[0] == 'l') siglongjmp(back, 1);
  printf("fatal: signal %d\n", signal);
  fflush(stdout);
  if (way[0] == 'e') exit(3);
  struct sigaction usual = {.sa_handler = SIG_DFL};
  sigaction(signal, &usual, NULL);
  raise(signal);
}
__attribute__((noinline)) static int length(const char *text) {
  int n = 0;
  while (text[n] != 0) ++n; /* the fault */
  return n;
}
__attribute__((noinline)) static const char *word(int c) {
  return c == 'a' ? "alpha" : NULL; /* the cause */
}
int main(int argc, char **argv) {
  way = argv[2];
  signal(SIGSEGV, on_fault);
  if (way[0] == 'l') {
    volatile int *nowhere = NULL;
    if (sigsetjmp(back, 1) == 0) *nowhere = 1;
    printf("%s\n", argv[1]);
    return 0;
  }
  printf("%d\n", length(word(argv[1][0])));
  return argc == 9;
}
C
for level in $(levels); do
  cc -g $level -fno-ipa-icf -o caught caught.c
  for way in exits raises; do
    status 1 twinrun why "./caught a $way" "./caught b $way" >out 2>log
    grep -q '^SIGSEGV: B reads address 0 (NULL) at caught.c:20' out || fail "$level $way: no fault: $(cat out)"
    has out "caught.c:24" 'argv[1] is "a" in A, "b" in B' "interrupted by SIGSEGV"
    not grep -q 'caught.c:1[1-6]' out
  done
  status 1 twinrun why "./caught a lives" "./caught b lives" >out 2>log
  has out 'argv[1] is "a" in A, "b" in B'
  not grep -q '^SIGSEGV' out
done

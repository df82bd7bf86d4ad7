# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A fatal error that neither run comes to has no say in where the runs meet again.
needs_recorder
cat >checks.c <<'C'
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) static void usage(void) { fputs("usage\n", stderr); exit(2); }
__attribute__((noinline)) static int sum(int times) {
  int out = 0;
  for (int i = 0; i < 3000; i++) out = out * 3 + i % times;
  return out;
}
int main(int argc, char **argv) {
  int extra = 0;
  for (const char *p = argv[1]; *p; p++) {
    if (*p == 'v') extra += 0;
    else if (*p == 'x') extra += 5;
    else usage();
  }
  if (extra != 0) {
    FILE *probe = fopen("/dev/null", "r");
    if (!probe) abort();
  }
  int first = sum(7);
  printf("%d\n", first % 1000 + extra);
  exit(0);
}
C
for level in $(levels); do
  cc -g $level -o checks checks.c
  status 1 twinrun why './checks vv' './checks vx' >out 2>log
  has out 'extra += 5;' "argv[1] is"
  twinrun align --json @1 @ >align.json || true
  json align.json "d['aligned'] > 0.95 * (d['aligned'] + d['only_a'])"
done

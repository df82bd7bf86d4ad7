# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# With the registers of every block in the recording, the computation agrees with each of them.
needs_recorder
cat >t.c <<'C'
#include <math.h>
#include <signal.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static sigjmp_buf back;
static void on_fault(int s) { (void)s; siglongjmp(back, 1); }
int main(int argc, char **argv) {
  double d = argc; float f = argc; long double x = argc; unsigned h = 0;
  char a[300], b[300];
  for (int i = 0; i < 300; i++) { a[i] = (char)(i * 7); h = h * 31 + (h >> 3) + a[i] / (i + 1); }
  memcpy(b, a, sizeof b); memmove(b + 1, b, 200); h += memcmp(a, b, 300) + strlen(argv[0]);
  for (int i = 1; i < 40; i++) { d = sqrt(d + i) * 1.5 - floor(d / 3); f = f * 0.75f + (float)d; x = x / 3 + i; }
  unsigned __int128 w = (unsigned __int128)h * h; w /= (h | 1); h ^= (unsigned)(w >> 64) ^ (unsigned)w;
  signal(SIGSEGV, on_fault);
  for (volatile int i = 0; i < 3; i++) if (!sigsetjmp(back, 1)) *(volatile int *)(long)i = 1;
  char *p = malloc(1000); snprintf(p, 1000, "%u %.3f %.3f %d", h, d, (double)f, atoi("42"));
  puts(p); qsort(p, strlen(p), 1, (int (*)(const void *, const void *))strcmp); free(p);
  return __builtin_popcount(h) & 3 ? 0 : 0;
}
C
for flags in -O0 -O2 "-O3 -mavx2"; do
  # shellcheck disable=SC2086
  gcc $flags -w -o t t.c -lm
  twinrun record --tool-flag=--state-every=1 -o t.twin --force -- ./t >/dev/null
  twinrun verify --json t.twin | grep -q '"ok": true' || {
    twinrun verify t.twin
    fail "$flags"
  }
done
twinrun record --tool-flag=--state-every=3 -o u.twin -- sh -c 'for i in 1 2 3; do echo $((i * 7 % 3)); done | sort | tail -1' >/dev/null
twinrun verify u.twin

# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A program that does something else from a date on: the time is the cause, and the runs differ all the same.
needs_recorder
cat >clock.c <<'C'
#include <stdlib.h>
#include <time.h>
time_t time(time_t *out) {
  time_t now = atol(getenv("CLOCK"));
  if (out) *out = now;
  return now;
}
C
cc -shared -fPIC -o clock.so clock.c
cat >date.c <<'C'
#include <stdio.h>
#include <time.h>
static void payload(const char *text) {
  for (const char *at = text; *at; at++) putchar(*at ^ 1);
  putchar('\n');
}
int main(void) {
  time_t now = time(0);
  struct tm *parts = gmtime(&now);
  if (parts->tm_year >= 130) {
    payload("ejmfud");
    return 3;
  }
  puts("nothing to do");
  return 0;
}
C
for level in $(levels); do
  cc -g $level -o date date.c ./clock.so
  CLOCK=1700000000 twinrun record -q --force -o a.twin -- ./date >said
  status 3 env CLOCK=1950000000 twinrun record -q --force -o b.twin -- ./date >said
  status 1 twinrun why a.twin b.twin >out 2>log
  has out "date.c:10  if (parts->tm_year >= 130)" "CLOCK"
done

# Without anything that was given: the clock itself. Only because of time, but the outcome differs.
cat >parity.c <<'C'
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int main(void) {
  struct timespec now;
  syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
  printf("%ld\n", now.tv_nsec);
  return 0;
}
C
cc -g -o parity parity.c
status 1 twinrun why ./parity ./parity >out 2>log
has out "clock_gettime"

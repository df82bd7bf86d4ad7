/* SPDX-License-Identifier: MIT */
/* setrlimit and getrlimit of what a program commonly changes. */
#include <stdio.h>
#include <sys/resource.h>
int main(void) {
  int which[] = {RLIMIT_CORE, RLIMIT_CPU, RLIMIT_FSIZE, RLIMIT_STACK};
  for (int i = 0; i < 4; i++) {
    struct rlimit r = {1 << 24, 1 << 25}, s;
    int a = setrlimit(which[i], &r), b = getrlimit(which[i], &s);
    printf("%d %d %ld %ld\n", a, b, (long)s.rlim_cur, (long)s.rlim_max);
  }
}

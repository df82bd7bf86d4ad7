/* SPDX-License-Identifier: MIT */
/* RLIMIT_NOFILE: the recorder keeps some descriptors for itself, where it may not have more than the program. */
/* torture: listed=W007 */
/* torture: needs=setpriv */
/* torture: launch=ulimit -n 1024; set -- setpriv --bounding-set -sys_resource "$@" */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void) {
  struct rlimit r, old;
  int n = 0;
  getrlimit(RLIMIT_NOFILE, &r);
  syscall(SYS_getrlimit, RLIMIT_NOFILE, &old);  /* the call that Go uses */
  while (dup(0) >= 0) n++;
  printf("%ld %ld %ld %d\n", (long)old.rlim_cur, (long)r.rlim_cur, (long)r.rlim_max, n);
}

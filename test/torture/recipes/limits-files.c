/* SPDX-License-Identifier: MIT */
/* RLIMIT_NOFILE lowered and raised: what is told, and how many descriptors there are then. */
/* torture: launch=ulimit -Sn 512 */
/* torture: launch=ulimit -Sn 256 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
static void count(const char *what) {
  int last = 2, fd;
  struct rlimit r;
  while ((fd = dup(0)) >= 0) last = fd;
  const int error = errno;
  getrlimit(RLIMIT_NOFILE, &r);
  printf("%s: %ld %ld, last %d, then %s\n", what, (long)r.rlim_cur, (long)(r.rlim_max > 512 ? 1 : r.rlim_max), last, strerror(error));
  for (fd = 3; fd <= last; fd++) close(fd);
}
static void set(rlim_t cur, rlim_t max) {
  struct rlimit r = {cur, max};
  printf("%ld %ld: %s\n", (long)cur, (long)max, setrlimit(RLIMIT_NOFILE, &r) ? strerror(errno) : "set");
}
int main(void) {
  struct rlimit r, old = {0, 0};
  count("begun");
  getrlimit(RLIMIT_NOFILE, &r);
  set(32, r.rlim_max);
  count("lower");
  set(200, r.rlim_max);
  count("higher");
  set(300, 250);
  set(100, 150);
  count("both");
  r.rlim_cur = 64, r.rlim_max = 150;
  printf("%ld ", syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, &r, &old));
  printf("%ld %ld\n", (long)old.rlim_cur, (long)old.rlim_max);
  printf("%ld ", syscall(SYS_prlimit64, getpid(), RLIMIT_NOFILE, NULL, &old));
  printf("%ld %ld\n", (long)old.rlim_cur, (long)old.rlim_max);
  count("prlimit64");
}

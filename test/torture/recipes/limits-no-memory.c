/* SPDX-License-Identifier: MIT */
/* A program leaves itself little address space, or none: what it then gets, and that it still runs. */
/* torture: args=8 */
/* torture: args=100 */
/* torture: launch=ulimit -v unlimited */
/* torture: launch=ulimit -Sv 2000000 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv) {
  struct rlimit r;
  (void)argc;
  getrlimit(RLIMIT_AS, &r);
  printf("%ld\n", (long)r.rlim_cur);
  r.rlim_cur = (rlim_t)atol(argv[1]) << 20;
  printf("%d\n", setrlimit(RLIMIT_AS, &r));
  fflush(stdout);
  int got = 0;
  while (got < 1000 && malloc(1 << 20)) got++;
  const int about = atoi(argv[1]);
  printf("%d %s\n", got >= about - 15 && got <= about, strerror(errno));
  char *p = mmap(NULL, 200 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  printf("%s\n", p == MAP_FAILED ? strerror(errno) : "mapped");
  char *here = mmap((void *)((unsigned long)argv & ~4095UL), 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, -1, 0);
  printf("%s\n", here == MAP_FAILED ? strerror(errno) : "mapped");
  fflush(stdout);
  int status = 0;
  if (fork() == 0) _exit(malloc(300 << 20) ? 1 : 2);
  wait(&status);
  printf("%d\n", WEXITSTATUS(status));
  r.rlim_cur = r.rlim_max;
  printf("%d\n", setrlimit(RLIMIT_AS, &r));
  printf("%d\n", malloc(300 << 20) != NULL);
}

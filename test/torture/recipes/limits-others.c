/* SPDX-License-Identifier: MIT */
/* Limits that end or refuse something: file size, processes, locked memory, data, address space in a child. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
static int lower(int which, rlim_t to) {
  struct rlimit r;
  getrlimit(which, &r);
  r.rlim_cur = to;
  return setrlimit(which, &r);
}
int main(void) {
  char block[4096] = "";
  int fd = open("file", O_RDWR | O_CREAT | O_TRUNC, 0600), status = 0;
  signal(SIGXFSZ, SIG_IGN);
  printf("%d ", lower(RLIMIT_FSIZE, 8192));
  for (int i = 0; i < 3; i++) {
    long n = write(fd, block, sizeof block);
    printf("%ld %s, ", n, n < 0 ? strerror(errno) : "");
  }
  printf("%d\n", lower(RLIMIT_FSIZE, RLIM_INFINITY));
  printf("%d %d\n", lower(RLIMIT_MEMLOCK, 65536), lower(RLIMIT_CORE, 0));
  fflush(stdout);
  if (fork() == 0) {
    lower(RLIMIT_FSIZE, 4096);
    signal(SIGXFSZ, SIG_DFL);
    for (int i = 0; i < 3; i++)
      if (write(fd, block, sizeof block) < 0) break;
    _exit(3);
  }
  wait(&status);
  printf("signal %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
  struct rlimit r;
  printf("%d %s\n", setrlimit(99, &r), strerror(errno));
  printf("%d %s\n", getrlimit(99, &r), strerror(errno));
  printf("%d %s\n", setrlimit(RLIMIT_NOFILE, (struct rlimit *)8), strerror(errno));
  printf("%d %s\n", getrlimit(RLIMIT_NOFILE, (struct rlimit *)8), strerror(errno));
  printf("%d %s\n", setrlimit(RLIMIT_STACK, (struct rlimit *)8), strerror(errno));
  r.rlim_cur = 20, r.rlim_max = 10;
  printf("%d %s\n", setrlimit(RLIMIT_STACK, &r), strerror(errno));
}

/* SPDX-License-Identifier: MIT */
/* Threads made by clone that keep their directory, or their descriptors, to themselves. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
static int alive, fd;
static volatile int seen;
static int thread(void *of) {
  (void)of;
  seen = chdir("/tmp") * 10 + close(fd) + 1;
  return 0;
}
static void run(int flags) {
  char *stack = malloc(65536), here[200];
  fd = open("/dev/null", O_RDONLY);
  alive = 1;
  seen = 0;
  if (chdir("/usr")) return;
  clone(thread, stack + 65536, CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID | flags, NULL,
        NULL, NULL, &alive);
  while (alive) syscall(SYS_futex, &alive, FUTEX_WAIT, alive, NULL, NULL, 0);
  printf("%d %s %d\n", seen, getcwd(here, sizeof here), fcntl(fd, F_GETFD) >= 0);
}
int main(void) {
  run(CLONE_FS | CLONE_FILES);
  run(CLONE_FS);
  run(CLONE_FILES);
  run(0);
}

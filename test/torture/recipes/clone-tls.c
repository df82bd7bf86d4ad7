/* SPDX-License-Identifier: MIT */
/* A forked process that begins with thread-local storage of its own. */
#define _GNU_SOURCE
#include <asm/prctl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static char *copy;
int main(void) {
  unsigned long here = 0;
  int status = 0;
  syscall(SYS_arch_prctl, ARCH_GET_FS, &here);
  copy = (char *)aligned_alloc(4096, 65536) + 32768;
  memcpy(copy - 1024, (char *)here - 1024, 1024 + 2048);
  *(char **)copy = copy;
  *(char **)(copy + 16) = copy;
  long p = syscall(SYS_clone, CLONE_SETTLS | SIGCHLD, 0, 0, 0, copy);
  if (p == 0) {
    unsigned long now = 0;
    syscall(SYS_arch_prctl, ARCH_GET_FS, &now);
    syscall(SYS_exit_group, now == (unsigned long)copy ? 11 : 12);
  }
  waitpid((pid_t)p, &status, 0);
  printf("%d %d\n", p > 0, WEXITSTATUS(status));
}

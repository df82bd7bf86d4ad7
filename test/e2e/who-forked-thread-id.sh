# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What the kernel writes into the memory of a forked process before it runs is known.
needs_recorder
cat >prog.c <<'C'
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static int id = 1;
__attribute__((noipa)) static int look(void) { return id; }
int main(void) {
  if (syscall(SYS_clone, SIGCHLD | CLONE_CHILD_SETTID, 0, 0, &id, 0) == 0) _exit(look() == getpid() ? 42 : 1);
  int status;
  wait(&status);
  return WEXITSTATUS(status) + (id != 1);
}
C
cc -g -O0 -o prog prog.c
status 42 twinrun record -o run -- ./prog
step=$(twinrun dump --process 2 run | grep ' look  ' | awk 'NR == 1 { print $1 }')
twinrun who --at "$step" --what id run >out
has out "2.1.0  system call"

/* SPDX-License-Identifier: MIT */
/* Flags of clone that contradict each other, and addresses that are none. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static void try(unsigned long flags, void *parent, void *child) {
  long p = syscall(SYS_clone, flags, 0, parent, child, 0);
  if (p == 0) _exit(3);
  int status = 0;
  const char *said = strerror(p < 0 ? errno : 0);
  if (p > 0) waitpid((pid_t)p, &status, 0);
  printf("%lx: %s, %d\n", flags, said, WEXITSTATUS(status));
}
int main(void) {
  int number = 0;
  try(CLONE_THREAD | SIGCHLD, NULL, NULL);
  try(CLONE_THREAD | CLONE_SIGHAND | SIGCHLD, NULL, NULL);
  try(CLONE_SIGHAND | SIGCHLD, NULL, NULL);
  try(CLONE_FS | CLONE_NEWNS | SIGCHLD, NULL, NULL);
  try(SIGCHLD, NULL, NULL);
  try(CLONE_PARENT_SETTID | SIGCHLD, &number, NULL);
  printf("%d\n", number > 0);
  number = 0;
  try(CLONE_CHILD_SETTID | SIGCHLD, NULL, &number);
  printf("%d\n", number);
  try(CLONE_VFORK | SIGCHLD, NULL, NULL);
}

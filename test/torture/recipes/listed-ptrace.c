/* SPDX-License-Identifier: MIT */
/* A program that debugs its child: that child is not recorded as it would run alone. */
/* torture: listed=W013 */
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  int st = 0;
  pid_t p = fork();
  if (p == 0) {
    long r = ptrace(PTRACE_TRACEME, 0, 0, 0);
    _exit(r == 0 ? 5 : 6);
  }
  waitpid(p, &st, 0);
  printf("%d %d\n", WIFEXITED(st), WEXITSTATUS(st));
}

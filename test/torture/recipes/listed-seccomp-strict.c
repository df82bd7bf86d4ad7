/* SPDX-License-Identifier: MIT */
/* Strict seccomp forbids what the recorder needs. */
/* torture: listed=W012 */
#include <linux/seccomp.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  int st;
  pid_t p = fork();
  if (p == 0) {
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    write(1, "strict\n", 7);
    syscall(SYS_exit, 3);
  }
  waitpid(p, &st, 0);
  printf("%d\n", st);
}

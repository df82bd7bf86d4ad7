/* SPDX-License-Identifier: MIT */
/* waitid, wait4 and waitpid: exits, signals, stops and continues, and nobody left. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  int child = fork();
  if (child == 0) {
    raise(SIGSTOP);
    _exit(5);
  }
  siginfo_t i = {0};
  waitid(P_PID, child, &i, WSTOPPED | WNOWAIT);
  printf("%d %d\n", i.si_code == CLD_STOPPED, i.si_status == SIGSTOP);
  int status;
  waitpid(child, &status, WUNTRACED);
  printf("%d\n", WIFSTOPPED(status));
  kill(child, SIGCONT);
  waitpid(child, &status, WCONTINUED);
  printf("%d\n", WIFCONTINUED(status));
  struct rusage use;
  int got = wait4(child, &status, 0, &use);
  printf("%d %d\n", got == child, WEXITSTATUS(status));
  child = fork();
  if (child == 0) {
    kill(getpid(), SIGTERM);
    pause();
  }
  waitpid(-1, &status, 0);
  printf("%d %d\n", WIFSIGNALED(status), WTERMSIG(status));
  got = waitpid(-1, &status, 0);
  printf("%d %s\n", got, strerror(errno));
}

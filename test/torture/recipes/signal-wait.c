/* SPDX-License-Identifier: MIT */
/* sigwaitinfo, sigtimedwait and sigsuspend, with what a signal brings. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static volatile int seen;
static void on(int sig) { seen = sig; }
int main(void) {
  sigset_t set, none;
  sigemptyset(&set);
  sigemptyset(&none);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGRTMIN + 3);
  sigaddset(&set, SIGCHLD);
  sigprocmask(SIG_BLOCK, &set, NULL);
  union sigval v = {.sival_int = 4711};
  sigqueue(getpid(), SIGRTMIN + 3, v);
  v.sival_int = 4712;
  sigqueue(getpid(), SIGRTMIN + 3, v);
  siginfo_t i;
  for (int n = 0; n < 2; n++) {
    int sig = sigwaitinfo(&set, &i);
    printf("%d %d %d %d\n", sig - SIGRTMIN, i.si_code == SI_QUEUE, i.si_value.sival_int, i.si_pid == getpid());
  }
  struct timespec t = {0, 1000000};
  int r = sigtimedwait(&set, &i, &t);
  printf("%d %s\n", r, strerror(errno));
  if (fork() == 0) _exit(9);
  int sig = sigwaitinfo(&set, &i);
  printf("%d %d %d\n", sig == SIGCHLD, i.si_code == CLD_EXITED, i.si_status);
  wait(NULL);
  signal(SIGUSR1, on);
  raise(SIGUSR1);
  sigset_t pending;
  sigpending(&pending);
  printf("%d %d\n", seen, sigismember(&pending, SIGUSR1));
  sigsuspend(&none);
  printf("%d\n", seen == SIGUSR1);
}

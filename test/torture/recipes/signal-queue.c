/* SPDX-License-Identifier: MIT */
/* Real-time signals: sigqueue values in order, sigtimedwait, sigwaitinfo. */
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static int seen[8], n;
static void handler(int s, siginfo_t *i, void *c) {
  (void)s, (void)c;
  seen[n++] = i->si_value.sival_int;
}
int main(void) {
  struct sigaction sa = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
  sigset_t set;
  sigaction(SIGRTMIN + 1, &sa, NULL);
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN + 1);
  sigaddset(&set, SIGRTMIN + 2);
  sigprocmask(SIG_BLOCK, &set, NULL);
  for (int i = 0; i < 4; i++) sigqueue(getpid(), SIGRTMIN + 1, (union sigval){.sival_int = i * 11});
  sigqueue(getpid(), SIGRTMIN + 2, (union sigval){.sival_int = 99});
  siginfo_t info;
  sigset_t two;
  struct timespec t = {1, 0}, zero = {0, 1000000};
  sigemptyset(&two);
  sigaddset(&two, SIGRTMIN + 2);
  int r = sigtimedwait(&two, &info, &t);
  printf("%d %d\n", r - SIGRTMIN, info.si_value.sival_int);
  printf("%d\n", sigtimedwait(&two, &info, &zero));
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  for (int i = 0; i < n; i++) printf("%d ", seen[i]);
  puts("");
}

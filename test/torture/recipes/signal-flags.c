/* SPDX-License-Identifier: MIT */
/* SA_RESETHAND, SA_NODEFER, SA_SIGINFO, masks in a handler, ignored and default again. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static int depth, most;
static void nested(int sig) {
  if (++depth > most) most = depth;
  if (depth < 4) raise(sig);
  depth--;
}
static void info(int sig, siginfo_t *i, void *context) {
  sigset_t now;
  sigprocmask(SIG_BLOCK, NULL, &now);
  printf("%d %d %d %d\n", sig == SIGUSR2, i->si_code == SI_TKILL, sigismember(&now, SIGHUP), context != NULL);
}
int main(void) {
  struct sigaction a = {.sa_handler = nested, .sa_flags = SA_NODEFER};
  sigaction(SIGUSR1, &a, NULL);
  raise(SIGUSR1);
  printf("%d\n", most);
  struct sigaction b = {.sa_sigaction = info, .sa_flags = SA_SIGINFO | SA_RESETHAND}, old;
  sigemptyset(&b.sa_mask);
  sigaddset(&b.sa_mask, SIGHUP);
  sigaction(SIGUSR2, &b, NULL);
  raise(SIGUSR2);
  sigaction(SIGUSR2, NULL, &old);
  printf("%d\n", old.sa_handler == SIG_DFL);
  signal(SIGHUP, SIG_IGN);
  raise(SIGHUP);
  signal(SIGHUP, SIG_DFL);
  printf("before\n");
  fflush(stdout);
  raise(SIGHUP);
}

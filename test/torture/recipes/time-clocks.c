/* SPDX-License-Identifier: MIT */
/* Clocks go forward, sleeps last, timers fire; TSC counts. */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>
static volatile int fired;
static void handler(int s, siginfo_t *i, void *c) {
  (void)s, (void)c;
  fired += i->si_value.sival_int;
}
int main(void) {
  struct timespec a, b, nap = {0, 20000000};
  struct sigaction sa = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
  struct sigevent ev = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN, .sigev_value.sival_int = 7};
  timer_t t;
  unsigned long long t0 = __rdtsc();
  clock_gettime(CLOCK_MONOTONIC, &a);
  nanosleep(&nap, NULL);
  clock_gettime(CLOCK_MONOTONIC, &b);
  long ns = (b.tv_sec - a.tv_sec) * 1000000000 + b.tv_nsec - a.tv_nsec;
  sigaction(SIGRTMIN, &sa, NULL);
  timer_create(CLOCK_MONOTONIC, &ev, &t);
  timer_settime(t, 0, &(struct itimerspec){{0, 0}, {0, 10000000}}, NULL);
  while (!fired) pause();
  printf("%d %d %d %d\n", ns >= 20000000, fired, __rdtsc() > t0, time(NULL) > 1000000000);
}

/* SPDX-License-Identifier: MIT */
/* timer_create with signals, setitimer, clock_nanosleep until a moment, alarm and pause. */
/* torture: flags=-lrt */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static volatile int count, value;
static void on(int sig, siginfo_t *i, void *c) {
  count++;
  value = i->si_value.sival_int;
}
int main(void) {
  struct sigaction a = {.sa_sigaction = on, .sa_flags = SA_SIGINFO};
  sigaction(SIGRTMIN, &a, NULL);
  sigaction(SIGALRM, &a, NULL);
  struct sigevent e = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN, .sigev_value.sival_int = 99};
  timer_t timer;
  timer_create(CLOCK_MONOTONIC, &e, &timer);
  struct itimerspec often = {.it_interval.tv_nsec = 1000000, .it_value.tv_nsec = 1000000}, off = {0};
  timer_settime(timer, 0, &often, NULL);
  while (count < 5) pause();
  timer_settime(timer, 0, &off, NULL);
  printf("%d %d\n", count >= 5, value);
  timer_delete(timer);
  count = 0;
  struct itimerval once = {.it_value.tv_usec = 1000};
  setitimer(ITIMER_REAL, &once, NULL);
  while (count < 1) pause();
  struct timespec now, until, after;
  clock_gettime(CLOCK_MONOTONIC, &now);
  until = now;
  until.tv_nsec += 3000000;
  if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
  int r = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
  clock_gettime(CLOCK_MONOTONIC, &after);
  printf("%d %d\n", r, after.tv_sec > until.tv_sec || (after.tv_sec == until.tv_sec && after.tv_nsec >= until.tv_nsec));
}

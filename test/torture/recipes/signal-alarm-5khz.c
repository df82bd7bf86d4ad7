/* SPDX-License-Identifier: MIT */
/* A 5 kHz interval timer interrupts a computation whose result must not change. */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
static volatile long ticks;
static void handler(int s) {
  (void)s;
  ticks++;
}
int main(void) {
  struct sigaction sa = {.sa_handler = handler, .sa_flags = SA_RESTART};
  struct itimerval fast = {{0, 200}, {0, 200}}, off = {{0, 0}, {0, 0}};
  unsigned long x = 1;
  double d = 1;
  sigaction(SIGALRM, &sa, NULL);
  setitimer(ITIMER_REAL, &fast, NULL);
  for (long i = 0; i < 2000000; i++) {
    x = x * 6364136223846793005UL + 1442695040888963407UL;
    d = d * 1.0000001 + (double)(x >> 60);
  }
  while (ticks < 20)
    ;
  setitimer(ITIMER_REAL, &off, NULL);
  printf("%lu %.10g %d\n", x, d, ticks >= 20);
}

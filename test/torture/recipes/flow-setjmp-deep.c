/* SPDX-License-Identifier: MIT */
/* longjmp out of many frames and out of a signal handler, with variables that must survive. */
/* torture: flags=-O0 */
/* torture: flags=-O2 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
static jmp_buf top;
static sigjmp_buf out;
static int down(int n, volatile int *seen) {
  char frame[100];
  frame[n % 100] = (char)n;
  *seen = n;
  if (n == 0) longjmp(top, 7);
  return down(n - 1, seen) + frame[n % 100];
}
static void on(int sig) { siglongjmp(out, sig); }
int main(void) {
  volatile int rounds = 0, seen = -1;
  for (int i = 0; i < 50; i++) {
    int r = setjmp(top);
    if (r == 0) down(i * 3, &seen);
    rounds += r;
  }
  printf("%d %d\n", rounds, seen);
  signal(SIGUSR1, on);
  volatile int jumps = 0;
  while (jumps < 20)
    if (sigsetjmp(out, 1) == 0) raise(SIGUSR1);
    else jumps++;
  printf("%d\n", jumps);
}

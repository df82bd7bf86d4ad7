/* SPDX-License-Identifier: MIT */
/* SIGSEGV a thousand times, each left by siglongjmp. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
static sigjmp_buf back;
static void handler(int s, siginfo_t *info, void *ctx) {
  (void)ctx;
  siglongjmp(back, s == SIGSEGV && info->si_addr == (void *)0x10 ? 2 : 3);
}
int main(void) {
  struct sigaction sa = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
  volatile int right = 0;
  sigaction(SIGSEGV, &sa, NULL);
  for (volatile int i = 0; i < 1000; i++) {
    int r = sigsetjmp(back, 1);
    if (r == 0) *(volatile int *)0x10 = i;
    right += r == 2;
  }
  printf("%d\n", right);
}

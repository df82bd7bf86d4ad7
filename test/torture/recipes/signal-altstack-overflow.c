/* SPDX-License-Identifier: MIT */
/* Stack overflow, caught on an alternative stack. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
static sigjmp_buf back;
static void handler(int s) { siglongjmp(back, s); }
static int __attribute__((noinline)) eat(int n) {
  volatile char room[4096];
  room[n % 4096] = (char)n;
  return eat(n + 1) + room[0];
}
int main(void) {
  stack_t ss = {.ss_sp = malloc(65536), .ss_size = 65536};
  struct sigaction sa = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
  sigaltstack(&ss, NULL);
  sigaction(SIGSEGV, &sa, NULL);
  for (volatile int i = 0; i < 3; i++) {
    int s = sigsetjmp(back, 1);
    if (s == 0) eat(0);
    printf("caught %d\n", s);
  }
}

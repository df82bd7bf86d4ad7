/* SPDX-License-Identifier: MIT */
/* User-level threads by makecontext and swapcontext, five of them in a ring. */
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
static ucontext_t ring[5], home;
static long sum;
static void body(int me) {
  for (int i = 0; i < 200; i++) {
    sum = sum * 3 % 1000003 + me;
    swapcontext(&ring[me], &ring[(me + 1) % 5]);
  }
}
int main(void) {
  for (int i = 0; i < 5; i++) {
    getcontext(&ring[i]);
    ring[i].uc_stack.ss_sp = malloc(65536);
    ring[i].uc_stack.ss_size = 65536;
    ring[i].uc_link = &home;
    makecontext(&ring[i], (void (*)(void))body, 1, i);
  }
  swapcontext(&home, &ring[0]);
  printf("%ld\n", sum);
}

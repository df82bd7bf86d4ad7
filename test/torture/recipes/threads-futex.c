/* SPDX-License-Identifier: MIT */
/* futex by hand: wait that is too late, wait with a timeout, wake, requeue. */
/* torture: flags=-pthread */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static _Atomic int word, woken;
static long futex(void *at, int op, int value, void *timeout) { return syscall(SYS_futex, at, op, value, timeout, NULL, 0); }
static void *waiter(void *x) {
  while (word == 0) futex(&word, FUTEX_WAIT_PRIVATE, 0, NULL);
  woken++;
  return x;
}
int main(void) {
  long r = futex(&word, FUTEX_WAIT_PRIVATE, 1, NULL);
  printf("%ld %s\n", r, strerror(errno));
  struct timespec t = {0, 2000000};
  r = futex(&word, FUTEX_WAIT_PRIVATE, 0, &t);
  printf("%ld %s\n", r, strerror(errno));
  pthread_t all[3];
  for (int i = 0; i < 3; i++) pthread_create(&all[i], NULL, waiter, NULL);
  word = 1;
  while (woken < 3) futex(&word, FUTEX_WAKE_PRIVATE, 1, NULL);
  for (int i = 0; i < 3; i++) pthread_join(all[i], NULL);
  printf("%d\n", woken);
}

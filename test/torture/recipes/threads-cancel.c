/* SPDX-License-Identifier: MIT */
/* pthread_cancel: a thread blocked in read, one in a loop with asynchronous cancelling; cleanup. */
/* torture: flags=-pthread */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int cleaned, fds[2], ready[2];
static void cleanup(void *arg) { cleaned += *(int *)arg; }
static void *blocked(void *arg) {
  char c;
  pthread_cleanup_push(cleanup, arg);
  write(ready[1], "x", 1);
  read(fds[0], &c, 1);
  pthread_cleanup_pop(0);
  return NULL;
}
static void *spinning(void *arg) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  pthread_cleanup_push(cleanup, arg);
  write(ready[1], "x", 1);
  for (;;) usleep(100);
  pthread_cleanup_pop(0);
  return NULL;
}
int main(void) {
  pthread_t a, b;
  void *ra, *rb;
  int one = 1, ten = 10;
  char c;
  pipe(fds);
  pipe(ready);
  pthread_create(&a, NULL, blocked, &one);
  pthread_create(&b, NULL, spinning, &ten);
  read(ready[0], &c, 1);
  read(ready[0], &c, 1);
  pthread_cancel(a);
  pthread_cancel(b);
  pthread_join(a, &ra);
  pthread_join(b, &rb);
  printf("%d %d %d\n", cleaned, ra == PTHREAD_CANCELED, rb == PTHREAD_CANCELED);
}

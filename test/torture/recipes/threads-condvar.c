/* SPDX-License-Identifier: MIT */
/* Two threads hand a token to and fro by condition variables; a timed wait that times out. */
/* torture: flags=-pthread */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int turn, rounds;
static void *player(void *arg) {
  int me = *(int *)arg;
  for (int i = 0; i < 500; i++) {
    pthread_mutex_lock(&m);
    while (turn != me) pthread_cond_wait(&c, &m);
    turn = !me;
    rounds++;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
  }
  return NULL;
}
int main(void) {
  pthread_t a, b;
  int zero = 0, one = 1;
  struct timespec soon;
  pthread_create(&a, NULL, player, &zero);
  pthread_create(&b, NULL, player, &one);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  clock_gettime(CLOCK_REALTIME, &soon);
  soon.tv_nsec += 1000000;
  if (soon.tv_nsec >= 1000000000) soon.tv_sec++, soon.tv_nsec -= 1000000000;
  pthread_mutex_lock(&m);
  printf("%d %d\n", rounds, pthread_cond_timedwait(&c, &m, &soon) == ETIMEDOUT);
}

/* SPDX-License-Identifier: MIT */
/* 400 and 3000 threads that are all alive at once. */
/* torture: flags=-pthread */
/* torture: args=400 */
/* torture: args=3000 */
/* torture: timeout=120 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_barrier_t all;
static void *work(void *arg) {
  pthread_barrier_wait(&all);
  return (void *)((long)arg * 3);
}
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 400;
  pthread_t *t = calloc(n, sizeof *t);
  pthread_attr_t a;
  long sum = 0;
  pthread_attr_init(&a);
  pthread_attr_setstacksize(&a, 65536);
  pthread_barrier_init(&all, NULL, n + 1);
  for (long i = 0; i < n; i++)
    if (pthread_create(&t[i], &a, work, (void *)i)) return puts("cannot create"), 1;
  pthread_barrier_wait(&all);
  for (int i = 0; i < n; i++) {
    void *r;
    pthread_join(t[i], &r);
    sum += (long)r;
  }
  printf("%ld\n", sum);
}

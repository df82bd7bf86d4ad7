/* SPDX-License-Identifier: MIT */
/* Eight threads that share a counter under a mutex. */
/* torture: flags=-pthread */
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;
static void *work(void *arg) {
  for (long i = 0; i < 2000; i++) {
    pthread_mutex_lock(&lock);
    total += i ^ (long)arg;
    pthread_mutex_unlock(&lock);
  }
  return arg;
}
int main(void) {
  pthread_t t[8];
  long sum = 0;
  for (long i = 0; i < 8; i++) pthread_create(&t[i], NULL, work, (void *)i);
  for (int i = 0; i < 8; i++) {
    void *r;
    pthread_join(t[i], &r);
    sum += (long)r;
  }
  printf("%ld %ld\n", total, sum);
}

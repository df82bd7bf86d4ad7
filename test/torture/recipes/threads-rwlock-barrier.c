/* SPDX-License-Identifier: MIT */
/* Read-write locks, barriers, spin locks, semaphores and once. */
/* torture: flags=-pthread */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t gate;
static pthread_spinlock_t spin;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t sem;
static long shared, spun, serial, begun;
static void begin(void) { begun++; }
static void *worker(void *arg) {
  long me = (long)arg;
  pthread_once(&once, begin);
  for (int i = 0; i < 200; i++) {
    if (i % 4 == me) {
      pthread_rwlock_wrlock(&rw);
      shared += i;
    } else {
      pthread_rwlock_rdlock(&rw);
    }
    pthread_rwlock_unlock(&rw);
    pthread_spin_lock(&spin);
    spun++;
    pthread_spin_unlock(&spin);
  }
  for (int i = 0; i < 5; i++)
    if (pthread_barrier_wait(&gate) == PTHREAD_BARRIER_SERIAL_THREAD) serial++;
  sem_wait(&sem);
  return NULL;
}
int main(void) {
  pthread_t t[4];
  pthread_barrier_init(&gate, NULL, 4);
  pthread_spin_init(&spin, 0);
  sem_init(&sem, 0, 1);
  for (long i = 0; i < 4; i++) pthread_create(&t[i], NULL, worker, (void *)i);
  for (int i = 0; i < 3; i++) sem_post(&sem);
  for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
  int left;
  sem_getvalue(&sem, &left);
  printf("%ld %ld %ld %ld %d\n", shared, spun, serial, begun, left);
}

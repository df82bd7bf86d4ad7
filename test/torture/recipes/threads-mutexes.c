/* SPDX-License-Identifier: MIT */
/* Mutexes of all kinds: recursive, error checking, robust, with priority inheritance. */
/* torture: flags=-pthread */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static pthread_mutex_t robust;
static void *dies(void *x) {
  pthread_mutex_lock(&robust);
  return x;
}
int main(void) {
  pthread_mutexattr_t a;
  pthread_mutex_t m;
  pthread_mutexattr_init(&a);
  pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&m, &a);
  for (int i = 0; i < 3; i++) printf("%d ", pthread_mutex_lock(&m));
  for (int i = 0; i < 4; i++) printf("%s ", strerror(pthread_mutex_unlock(&m)));
  printf("\n");
  pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&m, &a);
  pthread_mutex_lock(&m);
  printf("%s\n", strerror(pthread_mutex_lock(&m)));
  pthread_mutexattr_settype(&a, PTHREAD_MUTEX_NORMAL);
  pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&robust, &a);
  pthread_t t;
  pthread_create(&t, NULL, dies, NULL);
  pthread_join(t, NULL);
  int r = pthread_mutex_lock(&robust);
  printf("%s %d\n", strerror(r), pthread_mutex_consistent(&robust));
  pthread_mutex_unlock(&robust);
  printf("%d\n", pthread_mutex_trylock(&robust));
}

/* SPDX-License-Identifier: MIT */
/* The first thread ends with pthread_exit; the last one decides the status. */
/* torture: flags=-pthread */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_t first;
static void *work(void *arg) {
  pthread_join(first, NULL);
  puts("the first thread is gone");
  exit(7);
  return arg;
}
int main(void) {
  pthread_t t;
  first = pthread_self();
  pthread_create(&t, NULL, work, NULL);
  pthread_exit(NULL);
}

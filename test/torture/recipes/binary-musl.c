/* SPDX-License-Identifier: MIT */
/* Built against musl: its own loader, its own allocator, its own threads. */
/* torture: cc=musl-gcc */
/* torture: flags=-static */
/* torture: flags= */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void *work(void *arg) {
  char *s = malloc(100);
  snprintf(s, 100, "thread %ld", (long)arg);
  return s;
}
int main(void) {
  for (long i = 0; i < 5; i++) {
    pthread_t t;
    void *r;
    pthread_create(&t, NULL, work, (void *)i);
    pthread_join(t, &r);
    puts(r);
    free(r);
  }
}

# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Threads that wait for each other: the one that waits for a lock keeps the other waiting.
needs_recorder
cat >lock.c <<'C'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg) {
  if (*(int *)arg > 5) pthread_mutex_lock(&lock);
  return NULL;
}
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  pthread_t thread;
  pthread_mutex_lock(&lock);
  pthread_create(&thread, NULL, work, &n);
  pthread_join(thread, NULL);
  return 0;
}
C
cc -static -g -O0 -o lock lock.c
limit=$(patience twinrun record -q -o fine -- ./lock 2)
status 1 twinrun why --timeout "$limit" './lock 2' './lock 8' >out 2>/dev/null
has out "lock.c:5  if (*(int *)arg > 5) pthread_mutex_lock(&lock);" "They differ because argv[1] is"

# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A thread that reads what another one has not written yet.
needs_recorder
cat >race.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <semaphore.h>
#include <unistd.h>
static sem_t ready;
static int result;
static void *work(void *mode) {
  if (strcmp(mode, "early") == 0) {
    sem_post(&ready);
    pause();
  }
  result = 42;
  sem_post(&ready);
  return NULL;
}
int main(int argc, char **argv) {
  pthread_t thread;
  sem_init(&ready, 0, 0);
  pthread_create(&thread, NULL, work, argv[1]);
  sem_wait(&ready);
  printf("%d\n", result);
  return 0;
}
C
cc -g -O0 -pthread -o race race.c
status 1 twinrun why './race late' './race early' >out 2>log
begins out "result is 0 in B, 42 in A" "before thread 2 writes it at race.c:13"

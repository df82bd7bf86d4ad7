/* SPDX-License-Identifier: MIT */
/* fork in a process with threads: only the forking thread lives in the child; atfork handlers. */
/* torture: flags=-pthread */
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static int prepared, in_child;
static void prepare(void) { prepared++; }
static void child(void) { in_child++; }
static void *idle(void *arg) {
  for (;;) pause();
  return arg;
}
static void *forker(void *arg) {
  int status;
  pid_t p = fork();
  if (p == 0) {
    pthread_t t;
    /* The child may start threads again. */
    pthread_create(&t, NULL, idle, NULL);
    _exit(40 + in_child + prepared);
  }
  waitpid(p, &status, 0);
  return (void *)(long)WEXITSTATUS(status);
}
int main(void) {
  pthread_t t, f[3];
  pthread_atfork(prepare, NULL, child);
  for (int i = 0; i < 5; i++) pthread_create(&t, NULL, idle, NULL);
  for (int i = 0; i < 3; i++) {
    void *r;
    pthread_create(&f[i], NULL, forker, NULL);
    pthread_join(f[i], &r);
    printf("%ld\n", (long)r);
  }
}

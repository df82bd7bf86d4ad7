/* SPDX-License-Identifier: MIT */
/* A thread other than the first calls execve while others run. */
/* torture: flags=-pthread */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void *idle(void *arg) {
  for (;;) pause();
  return arg;
}
static void *exec_it(void *arg) {
  execl("/bin/echo", "echo", "from", "a", "thread", (char *)NULL);
  return arg;
}
int main(void) {
  pthread_t t;
  for (int i = 0; i < 4; i++) pthread_create(&t, NULL, idle, NULL);
  pthread_create(&t, NULL, exec_it, NULL);
  pthread_join(t, NULL);
  puts("not reached");
  return 1;
}

/* SPDX-License-Identifier: MIT */
/* Several threads start programs by vfork and by posix_spawn, some of which are not there. */
#include <errno.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
static void *work(void *of) {
  long wrong = 0;
  char *argv[] = {"true", NULL};
  for (int i = 0; i < 6; i++) {
    pid_t p;
    int status = 1, missing = i % 2;
    int got = posix_spawn(&p, missing ? "/no/such" : "/bin/true", NULL, NULL, argv, environ);
    if (got == 0) waitpid(p, &status, 0);
    wrong += got != (missing ? ENOENT : 0) || (!missing && status != 0);
    volatile int left = 0;
    p = vfork();
    if (p == 0) {
      left = 42;
      _exit(0);
    }
    waitpid(p, NULL, 0);
    wrong += left != 42;
  }
  (void)of;
  return (void *)wrong;
}
int main(void) {
  pthread_t t[4];
  long sum = 0;
  void *one;
  for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, work, NULL);
  for (int i = 0; i < 4; i++) {
    pthread_join(t[i], &one);
    sum += (long)one;
  }
  printf("%ld wrong\n", sum);
}

/* SPDX-License-Identifier: MIT */
/* A process that may not be looked at, because it changed its user, makes others by vfork; alone and with threads. */
/* torture: args=alone */
/* torture: args=threads */
#include <errno.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
static void *wait_there(void *of) {
  pause();
  return of;
}
int main(int argc, char **argv) {
  (void)argc;
  volatile int left = 0;
  int status = 0;
  pthread_t t;
  if (strcmp(argv[1], "threads") == 0) pthread_create(&t, NULL, wait_there, NULL);
  if (geteuid() == 0 && setresuid(65534, 65534, 65534)) return 1;
  if (prctl(PR_SET_DUMPABLE, 0)) return 1;
  pid_t p = vfork();
  if (p == 0) {
    left = prctl(PR_GET_DUMPABLE) + 41;
    _exit(3);
  }
  waitpid(p, &status, 0);
  printf("%d %d\n", left, WEXITSTATUS(status));
  char *words[] = {"x", NULL};
  printf("%s\n", strerror(posix_spawn(&p, "/no/such", NULL, NULL, words, environ)));
  printf("%d\n", prctl(PR_GET_DUMPABLE));
}

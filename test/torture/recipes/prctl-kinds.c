/* SPDX-License-Identifier: MIT */
/* prctl of many kinds, and personality. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
static void told(const char *what, long got) { printf("%s: %ld %s\n", what, got, got < 0 ? strerror(errno) : ""); }
int main(void) {
  char name[17] = "";
  int value = 0;
  told("set name", prctl(PR_SET_NAME, "a name of many letters"));
  told("get name", prctl(PR_GET_NAME, name));
  puts(name);
  told("dumpable", prctl(PR_GET_DUMPABLE));
  told("not dumpable", prctl(PR_SET_DUMPABLE, 0));
  told("dumpable", prctl(PR_GET_DUMPABLE));
  told("dumpable again", prctl(PR_SET_DUMPABLE, 1));
  told("keep caps", prctl(PR_GET_KEEPCAPS));
  told("death signal", prctl(PR_SET_PDEATHSIG, SIGUSR1));
  told("which", prctl(PR_GET_PDEATHSIG, &value));
  printf("%d\n", value);
  told("subreaper", prctl(PR_SET_CHILD_SUBREAPER, 1));
  told("is it", prctl(PR_GET_CHILD_SUBREAPER, &value));
  printf("%d\n", value);
  told("slack", prctl(PR_SET_TIMERSLACK, 12345));
  told("slack", prctl(PR_GET_TIMERSLACK));
  told("no new rights", prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
  told("no new rights", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
  told("seccomp", prctl(PR_GET_SECCOMP));
  told("none", prctl(9999, 1, 2, 3, 4));
  told("personality", personality(0xffffffff));
  told("no randomness", personality(ADDR_NO_RANDOMIZE));
  told("personality", personality(0xffffffff));
  fflush(stdout);
  if (fork() == 0) {
    told("inherited", personality(0xffffffff));
    fflush(stdout);
    _exit(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
  }
  wait(&value);
  printf("%d\n", WEXITSTATUS(value));
}

/* SPDX-License-Identifier: MIT */
/* Sessions, process groups, terminals that are not there, signals to a group. */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  int st, p[2];
  char c;
  pipe(p);
  pid_t leader = fork();
  if (leader == 0) {
    setpgid(0, 0);
    for (int i = 0; i < 3; i++)
      if (fork() == 0) {
        write(p[1], "r", 1);
        for (;;) pause();
      }
    for (int i = 0; i < 3; i++) read(p[0], &c, 1);
    signal(SIGTERM, SIG_IGN);
    kill(0, SIGTERM);
    int n = 0;
    while (wait(&st) > 0) n += WIFSIGNALED(st) && WTERMSIG(st) == SIGTERM;
    _exit(n);
  }
  waitpid(leader, &st, 0);
  printf("%d %d %d\n", WEXITSTATUS(st), tcgetpgrp(0) < 0, getsid(0) > 0);
}

/* SPDX-License-Identifier: MIT */
/* SIGCHLD handlers reap children; waitpid reports every kind of end. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int reaped;
static void handler(int s) {
  (void)s;
  while (waitpid(-1, NULL, WNOHANG) > 0) reaped++;
}
static void show(int how) {
  int st;
  pid_t p = fork();
  if (p == 0) {
    if (how == 0) exit(3);
    if (how == 1) abort();
    if (how == 2) kill(getpid(), SIGKILL);
    if (how == 3) raise(SIGTERM);
    if (how == 4) *(volatile int *)0 = 1;
    if (how == 5) raise(SIGSTOP), _exit(9);
  }
  waitpid(p, &st, WUNTRACED);
  if (WIFSTOPPED(st)) {
    printf("stopped %d\n", WSTOPSIG(st));
    kill(p, SIGCONT);
    waitpid(p, &st, 0);
  }
  if (WIFEXITED(st)) printf("exit %d\n", WEXITSTATUS(st));
  if (WIFSIGNALED(st)) printf("signal %d\n", WTERMSIG(st));
  fflush(stdout);
}
int main(void) {
  for (int i = 0; i < 6; i++) show(i);
  struct sigaction sa = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigaction(SIGCHLD, &sa, NULL);
  for (int i = 0; i < 10; i++)
    if (fork() == 0) _exit(i);
  while (reaped < 10) usleep(1000);
  printf("reaped %d\n", reaped);
}

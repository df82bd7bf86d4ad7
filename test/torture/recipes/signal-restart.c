/* SPDX-License-Identifier: MIT */
/* EINTR without SA_RESTART, a restarted read with it. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static void handler(int s) {
  (void)s;
  write(1, "tick\n", 5);
}
static void run(int flags) {
  struct sigaction sa = {.sa_handler = handler, .sa_flags = flags};
  int p[2];
  char c = 0;
  sigaction(SIGUSR1, &sa, NULL);
  pipe(p);
  pid_t parent = getpid(), child = fork();
  if (child == 0) {
    usleep(100000);
    kill(parent, SIGUSR1);
    usleep(100000);
    write(p[1], "z", 1);
    _exit(0);
  }
  ssize_t n = read(p[0], &c, 1);
  printf("%zd %s %c\n", n, n < 0 ? strerror(errno) : "-", c ? c : '-');
  fflush(stdout);
  while (waitpid(child, NULL, 0) < 0)
    ;
}
int main(void) {
  run(0);
  run(SA_RESTART);
}

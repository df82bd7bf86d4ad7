/* SPDX-License-Identifier: MIT */
/* signalfd, eventfd, timerfd and a pipe, all in one epoll loop. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>
int main(void) {
  sigset_t set;
  int fd[4], p[2], ep = epoll_create1(EPOLL_CLOEXEC), seen = 0;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, NULL);
  pipe(p);
  fd[0] = signalfd(-1, &set, SFD_NONBLOCK);
  fd[1] = eventfd(0, EFD_NONBLOCK);
  fd[2] = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  fd[3] = p[0];
  for (int i = 0; i < 4; i++) {
    struct epoll_event e = {.events = EPOLLIN, .data.u32 = (uint32_t)i};
    epoll_ctl(ep, EPOLL_CTL_ADD, fd[i], &e);
  }
  kill(getpid(), SIGUSR1);
  uint64_t five = 5;
  write(fd[1], &five, 8);
  write(p[1], "q", 1);
  timerfd_settime(fd[2], 0, &(struct itimerspec){{0, 0}, {0, 5000000}}, NULL);
  int what[4] = {0};
  while (seen != 15) {
    struct epoll_event e[4];
    int n = epoll_wait(ep, e, 4, 1000);
    for (int i = 0; i < n; i++) {
      char buf[256];
      int k = (int)e[i].data.u32;
      ssize_t got = read(fd[k], buf, sizeof buf);
      seen |= 1 << k;
      what[k] = (int)got;
      if (k == 0 && ((struct signalfd_siginfo *)buf)->ssi_signo != SIGUSR1) return 1;
    }
  }
  printf("%d %d %d %d\n", what[0], what[1], what[2], what[3]);
}

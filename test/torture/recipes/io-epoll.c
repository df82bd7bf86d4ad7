/* SPDX-License-Identifier: MIT */
/* epoll with level and edge triggering, eventfd as counter and as semaphore. */
#include <stdio.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>
int main(void) {
  int ep = epoll_create1(EPOLL_CLOEXEC), count = eventfd(3, 0), sem = eventfd(2, EFD_SEMAPHORE | EFD_NONBLOCK);
  struct epoll_event want = {.events = EPOLLIN, .data.u64 = 0x1122334455667788};
  epoll_ctl(ep, EPOLL_CTL_ADD, count, &want);
  want.events = EPOLLIN | EPOLLET;
  want.data.u64 = 7;
  epoll_ctl(ep, EPOLL_CTL_ADD, sem, &want);
  struct epoll_event got[4];
  for (int round = 0; round < 3; round++) {
    int n = epoll_wait(ep, got, 4, 0);
    printf("%d:", n);
    for (int i = 0; i < n; i++) printf(" %x %llx", got[i].events, (unsigned long long)got[i].data.u64);
    printf("\n");
  }
  uint64_t value = 0;
  read(count, &value, 8);
  printf("count %llu\n", (unsigned long long)value);
  for (int i = 0; i < 3; i++) {
    value = 0;
    long n = read(sem, &value, 8);
    printf("semaphore %ld %llu\n", n, (unsigned long long)value);
  }
  epoll_ctl(ep, EPOLL_CTL_DEL, count, NULL);
  printf("%d\n", epoll_pwait(ep, got, 4, 10, NULL));
}

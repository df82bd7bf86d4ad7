/* SPDX-License-Identifier: MIT */
/* timerfd: a single and a repeated expiry, read as numbers. */
#include <stdint.h>
#include <stdio.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
int main(void) {
  int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  struct itimerspec once = {.it_value.tv_nsec = 1000000}, old;
  uint64_t times = 0;
  timerfd_settime(fd, 0, &once, NULL);
  read(fd, &times, 8);
  printf("%llu\n", (unsigned long long)times);
  struct itimerspec often = {.it_value.tv_nsec = 1000000, .it_interval.tv_nsec = 1000000};
  timerfd_settime(fd, 0, &often, NULL);
  uint64_t sum = 0;
  while (sum < 20) {
    read(fd, &times, 8);
    sum += times;
  }
  struct itimerspec stop = {0};
  timerfd_settime(fd, 0, &stop, &old);
  printf("%ld %d\n", old.it_interval.tv_nsec, sum >= 20);
}

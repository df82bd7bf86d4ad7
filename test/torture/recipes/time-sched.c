/* SPDX-License-Identifier: MIT */
/* sched_yield, affinity, priorities, getcpu, process times. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>
int main(void) {
  cpu_set_t set;
  struct rusage u;
  CPU_ZERO(&set);
  CPU_SET(0, &set);
  printf("%d\n", sched_setaffinity(0, sizeof set, &set));
  for (int i = 0; i < 1000; i++) sched_yield();
  sched_getaffinity(0, sizeof set, &set);
  printf("%d %d %d %d\n", CPU_COUNT(&set), sched_getscheduler(0), nice(5), getpriority(PRIO_PROCESS, 0));
  printf("%d %d\n", getrusage(RUSAGE_SELF, &u), sched_getcpu() >= 0);
}

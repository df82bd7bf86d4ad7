/* SPDX-License-Identifier: MIT */
/* A collector's way: pages are protected, faults open them one by one; madvise and mincore. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
static char *base;
static int faults;
static void on(int sig, siginfo_t *i, void *c) {
  faults++;
  mprotect((void *)((uintptr_t)i->si_addr & ~4095ul), 4096, PROT_READ | PROT_WRITE);
}
int main(void) {
  base = mmap(NULL, 64 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct sigaction a = {.sa_sigaction = on, .sa_flags = SA_SIGINFO};
  sigaction(SIGSEGV, &a, NULL);
  long sum = 0;
  for (int i = 0; i < 64 * 4096; i += 1000) base[i] = (char)i;
  for (int i = 0; i < 64 * 4096; i += 1000) sum += base[i];
  printf("%d %ld\n", faults, sum);
  madvise(base, 32 * 4096, MADV_DONTNEED);
  sum = 0;
  for (int i = 0; i < 64 * 4096; i += 1000) sum += base[i];
  printf("%d %ld\n", faults, sum);
  mprotect(base, 4096, PROT_READ);
  base[5] = 1;
  printf("%d\n", faults);
}

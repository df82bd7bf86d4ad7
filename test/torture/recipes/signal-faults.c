/* SPDX-License-Identifier: MIT */
/* What a handler is told of faults: address and code of SIGSEGV, SIGFPE, SIGILL, SIGTRAP, SIGBUS. */
/* torture: flags=-O0 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
static sigjmp_buf back;
static siginfo_t last;
static void on(int sig, siginfo_t *i, void *c) {
  last = *i;
  siglongjmp(back, sig);
}
int main(void) {
  struct sigaction a = {.sa_sigaction = on, .sa_flags = SA_SIGINFO | SA_NODEFER};
  for (int s = SIGILL; s <= SIGSEGV; s++) if (s != SIGKILL) sigaction(s, &a, NULL);
  char *none = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  volatile int zero = 0, sink;
  if (sigsetjmp(back, 1) == 0) sink = none[17];
  printf("%d %d %ld\n", last.si_signo, last.si_code == SEGV_ACCERR, (long)((char *)last.si_addr - none));
  if (sigsetjmp(back, 1) == 0) sink = *(volatile char *)(uintptr_t)0x123;
  printf("%d %d %p\n", last.si_signo, last.si_code == SEGV_MAPERR, last.si_addr);
  if (sigsetjmp(back, 1) == 0) sink = 5 / zero;
  printf("%d %d\n", last.si_signo, last.si_code == FPE_INTDIV);
  if (sigsetjmp(back, 1) == 0) __builtin_trap();
  printf("%d\n", last.si_signo);
  if (sigsetjmp(back, 1) == 0) __asm__ volatile("int3");
  printf("%d\n", last.si_signo);
  munmap(none, 4096);
  if (sigsetjmp(back, 1) == 0) none[0] = 1;
  printf("%d %d\n", last.si_signo, last.si_code == SEGV_MAPERR);
}

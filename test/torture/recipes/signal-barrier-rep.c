/* SPDX-License-Identifier: MIT */
/* A fault that a handler repairs in the middle of a repeated string instruction. */
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
static void handler(int s, siginfo_t *info, void *ctx) {
  (void)s, (void)ctx;
  mprotect((void *)((unsigned long)info->si_addr & ~4095UL), 4096, PROT_READ | PROT_WRITE);
}
int main(void) {
  struct sigaction sa = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
  char *heap = mmap(NULL, 64 * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char *to = heap + 100, *from = heap + 32 * 4096;
  unsigned long count = 20000;
  sigaction(SIGSEGV, &sa, NULL);
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
  printf("%ld %lu\n", (long)(to - heap), count);
}

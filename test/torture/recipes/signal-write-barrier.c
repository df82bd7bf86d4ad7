/* SPDX-License-Identifier: MIT */
/* A restartable SIGSEGV handler, as garbage collectors use: it reads the faulting register state
 * and the partly done work must be exact when it makes the page writable. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
static char *heap;
static int faults;
static void handler(int s, siginfo_t *info, void *ctx) {
  (void)s, (void)ctx;
  char *page = (char *)((unsigned long)info->si_addr & ~4095UL);
  faults++;
  mprotect(page, 4096, PROT_READ | PROT_WRITE);
}
int main(void) {
  struct sigaction sa = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
  unsigned sum = 0;
  sigaction(SIGSEGV, &sa, NULL);
  heap = mmap(NULL, 64 * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < 64 * 4096 - 8; i += 509) {
    heap[i] = (char)(i * 7);
    *(int *)(heap + i + 1) += i;
  }
  for (int round = 0; round < 3; round++) {
    mprotect(heap, 64 * 4096, PROT_READ);
    for (char *p = heap; p < heap + 63 * 4096; p += 4000) memset(p, round, 100);
  }
  for (int i = 0; i < 64 * 4096; i++) sum = sum * 31 + (unsigned char)heap[i];
  printf("%d %u\n", faults, sum);
}

/* SPDX-License-Identifier: MIT */
/* A handler reads and changes the registers of what it interrupted. */
/* torture: flags=-O1 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdint.h>
#include <ucontext.h>
static void skip(int sig, siginfo_t *i, void *context) {
  ucontext_t *u = context;
  uint8_t *at = (uint8_t *)u->uc_mcontext.gregs[REG_RIP];
  printf("%x %x %llx\n", at[0], at[1], (unsigned long long)u->uc_mcontext.gregs[REG_RBX]);
  u->uc_mcontext.gregs[REG_RIP] += 2;
  u->uc_mcontext.gregs[REG_RBX] = 0x77;
}
int main(void) {
  struct sigaction a = {.sa_sigaction = skip, .sa_flags = SA_SIGINFO};
  sigaction(SIGILL, &a, NULL);
  uint64_t b = 0x1234;
  __asm__ volatile("ud2" : "+b"(b)::"memory");
  printf("%llx\n", (unsigned long long)b);
}

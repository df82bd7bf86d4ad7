/* SPDX-License-Identifier: MIT */
/* Signals by raw system calls: sent to itself, handled, returned from; a fault that the handler
 * steps over. */
#include "start.h"
struct Action { void (*handler)(int, void*, u64*); u64 flags; void (*restorer)(void); u64 mask; };
void restore(void);
__asm__("restore: mov $15, %eax\n syscall\n");
static int seen;
static void usr(int s, void* info, u64* context) { (void)info, (void)context; seen += s; }
static void segv(int s, void* info, u64* context) {
  (void)s, (void)info;
  seen += 1000;
  context[5 + 16] += 7; /* over the 7-byte instruction */
}
int main(void) {
  struct Action a = {usr, 0x04000004, restore, 0}, b = {segv, 0x04000004, restore, 0};
  CALL(kSigaction, 10, &a, 0);
  CALL(kSigaction, 12, &a, 0);
  CALL(kSigaction, 11, &b, 0);
  long pid = CALL(kGetpid, 0, 0, 0);
  for (int i = 0; i < 20; i++) {
    CALL(kKill, pid, i & 1 ? 10 : 12, 0);
    __asm__ volatile("xor %%eax, %%eax\n movl $1, 16(%%rax)" : : : "rax", "memory");
  }
  return seen;
}

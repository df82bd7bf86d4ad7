/* SPDX-License-Identifier: MIT */
/* Jumps that leave many frames at once, and jumps between two stacks. */
#include "start.h"
static void* saved[5];
static u8 stack2[16384] __attribute__((aligned(16)));
static void *sp1, *sp2;
static int switches;
NOINLINE static int down(int n) {
  if (n == 0) __builtin_longjmp(saved, 1);
  return down(n - 1) + n;
}
void swap(void** from, void** to);
__asm__("swap: push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n mov %rsp, (%rdi)\n mov (%rsi), %rsp\n"
        "pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n ret\n");
static void other(void) {
  for (;;) {
    switches++;
    swap(&sp2, &sp1);
  }
}
int main(void) {
  volatile int jumps = 0;
  for (volatile int i = 1; i < 30; i++) {
    if (__builtin_setjmp(saved) == 0) down(i);
    jumps++;
  }
  u64* top = (u64*)(stack2 + sizeof stack2) - 8;
  top[6] = (u64)other;
  sp2 = top;
  for (int i = 0; i < 50; i++) swap(&sp1, &sp2);
  return jumps + switches;
}

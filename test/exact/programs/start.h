/* SPDX-License-Identifier: MIT */
/* The start of a program without a C library: main's result becomes the exit status. */
#pragma once
typedef unsigned long u64;
typedef unsigned int u32;
typedef unsigned char u8;

static inline long call6(long n, long a, long b, long c, long d, long e, long f) {
  long r;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
  return r;
}
#define CALL(n, a, b, c) call6(n, (long)(a), (long)(b), (long)(c), 8, 0, 0)
enum { kWrite = 1, kMmap = 9, kSigaction = 13, kSigprocmask = 14, kSigreturn = 15, kGetpid = 39, kExit = 60, kKill = 62, kExitGroup = 231 };

int main(void);
__attribute__((force_align_arg_pointer, noreturn, used)) static void start(void) {
  CALL(kExitGroup, main() & 127, 0, 0);
  __builtin_unreachable();
}
__asm__(".globl _start\n_start: xor %ebp, %ebp\n call start\n");

#define NOINLINE __attribute__((noinline, noclone))
static inline u64 next_random(u64* x) { return *x = *x * 6364136223846793005UL + 1442695040888963407UL; }

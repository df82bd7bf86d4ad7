/* SPDX-License-Identifier: MIT */
__asm__(".globl _start\n_start: mov (%rsp), %rdi\n lea 8(%rsp), %rsi\n call main\n"
        "mov %eax, %edi\n mov $231, %eax\n syscall\n");
static inline long call(long number, long a, long b, long c) {
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return result;
}
static inline void print(const char *text, long size) { call(1, 1, (long)text, size); }

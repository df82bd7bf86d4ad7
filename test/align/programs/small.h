// SPDX-License-Identifier: MIT
// What a program without a C library needs, so that little else than its own code is executed: a
// program defines run(argc, argv) or run(), reads its standard input and returns its exit status.
#pragma once

#define KEEP __attribute__((noinline))
#define PUBLIC __attribute__((noinline, used))

#ifdef WITH_ARGUMENTS
PUBLIC int run(int argc, char **argv);
#else
PUBLIC int run(void);
#endif

__asm__(
    ".text\n"
    ".globl _start\n"
    ".type _start, @function\n"
    "_start:\n"
    "  mov (%rsp), %edi\n"
    "  lea 8(%rsp), %rsi\n"
    "  and $-16, %rsp\n"
    "  xor %ebp, %ebp\n"
    "  call run\n"
    "  mov %eax, %edi\n"
    "  mov $231, %eax\n"
    "  syscall\n"
    "  hlt\n"
    ".size _start, . - _start\n"
    // As in C libraries: 0 at first, the value of jump_back later.
    ".type mark_place, @function\n"
    "mark_place:\n"
    "  mov %rbx, (%rdi)\n"
    "  mov %rbp, 8(%rdi)\n"
    "  mov %r12, 16(%rdi)\n"
    "  mov %r13, 24(%rdi)\n"
    "  mov %r14, 32(%rdi)\n"
    "  mov %r15, 40(%rdi)\n"
    "  lea 8(%rsp), %rdx\n"
    "  mov %rdx, 48(%rdi)\n"
    "  mov (%rsp), %rdx\n"
    "  mov %rdx, 56(%rdi)\n"
    "  xor %eax, %eax\n"
    "  ret\n"
    ".size mark_place, . - mark_place\n"
    ".type jump_back, @function\n"
    "jump_back:\n"
    "  mov %esi, %eax\n"
    "  test %eax, %eax\n"
    "  jnz 1f\n"
    "  inc %eax\n"
    "1: mov (%rdi), %rbx\n"
    "  mov 8(%rdi), %rbp\n"
    "  mov 16(%rdi), %r12\n"
    "  mov 24(%rdi), %r13\n"
    "  mov 32(%rdi), %r14\n"
    "  mov 40(%rdi), %r15\n"
    "  mov 48(%rdi), %rsp\n"
    "  jmp *56(%rdi)\n"
    ".size jump_back, . - jump_back\n"
    ".type back_from_signal, @function\n"
    "back_from_signal:\n"
    "  mov $15, %eax\n"
    "  syscall\n"
    ".size back_from_signal, . - back_from_signal\n");

typedef long Place[8];
__attribute__((returns_twice)) int mark_place(Place place);
__attribute__((noreturn)) void jump_back(Place place, int value);
void back_from_signal(void);

static inline long kernel(long number, long a, long b, long c, long d) {
  long result;
  register long fourth __asm__("r10") = d;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth)
                   : "rcx", "r11", "memory");
  return result;
}

static inline void handle_with(int signal, void (*handler)(int), unsigned long flags) {
  struct {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)(void);
    unsigned long mask;
  } action = {handler, flags | 0x04000000 | 0x40000000, back_from_signal, 0};  // own restorer, not blocked
  kernel(13, signal, (long)&action, 0, 8);
}
static inline void handle(int signal, void (*handler)(int)) { handle_with(signal, handler, 0); }

static inline void raise_signal(int signal) {
  kernel(62, kernel(39, 0, 0, 0, 0), signal, 0, 0);
}

// What compilers call without being asked to.
PUBLIC void *memset(void *to, int value, unsigned long size) {
  void *const result = to;
  __asm__ volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(value) : "memory");
  return result;
}
PUBLIC void *memcpy(void *to, const void *from, unsigned long size) {
  void *const result = to;
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
  return result;
}

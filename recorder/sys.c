/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tool.h"

Long tw_syscall(ULong number, ULong a, ULong b, ULong c, ULong d, ULong e, ULong f) {
  Long result;
  register ULong r10 __asm__("r10") = d;
  register ULong r8 __asm__("r8") = e;
  register ULong r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory", "cc");
  return result;
}

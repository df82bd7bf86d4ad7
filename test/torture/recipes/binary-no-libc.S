/* SPDX-License-Identifier: MIT */
/* No C library at all: two system calls. */
/* torture: flags=-nostdlib -static */
/* torture: flags=-nostdlib -static-pie */
.globl _start
_start:
        mov $1, %eax
        mov $1, %edi
        lea text(%rip), %rsi
        mov $6, %edx
        syscall
        mov $231, %eax
        mov $23, %edi
        syscall
.section .rodata
text:   .ascii "hello\n"
.section .note.GNU-stack,"",@progbits

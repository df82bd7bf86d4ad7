# SPDX-License-Identifier: MIT
# A 32-bit child runs natively, unrecorded, and a warning says so.
# torture: listed=W011
cat > t.s <<'ASM'
.globl _start
_start: movl $4, %eax
        movl $1, %ebx
        movl $text, %ecx
        movl $8, %edx
        int $0x80
        movl $1, %eax
        movl $33, %ebx
        int $0x80
text:   .ascii "32 bits\n"
ASM
as --32 t.s -o t.o && ld -m elf_i386 t.o -o t32
./t32
echo "status $?"

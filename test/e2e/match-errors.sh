# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What is no binary, or no place, step, level or file.
echo 'int main(void) { return 0; }' >prog.c
cc -o prog prog.c
echo text >text
status 2 twinrun match prog text 2>err
has err "error[P001]" "text"
status 2 twinrun match missing prog 2>err
has err "error[P002]" "missing"
head -c 1000 prog >short
status 2 twinrun match prog short 2>err
has err "error[P001]"
# An ELF file of another architecture: the machine's number is at 18.
cp prog arm
printf '\xb7' | dd of=arm bs=1 seek=18 conv=notrunc status=none
status 2 twinrun match prog arm 2>err
has err "error[P001]" "arm"
status 2 twinrun match prog 2>err
has err "error[C004]"
status 2 twinrun match prog prog --steps hsah 2>err
has err "error[M001]" "did you mean 'hash'?"
status 2 twinrun match prog prog --levels 9 2>err
has err "error[M001]" "1a"
status 2 twinrun match prog prog --why 0x1 2>err
has err "error[M002]"
status 2 twinrun match prog prog --why nobody 2>err
has err "error[P011]"
status 2 twinrun match prog prog --block-threshold 3 2>err
has err "error[C003]"
status 2 twinrun match prog prog --min-strength sure 2>err
has err "error[C003]" "strong"
status 2 twinrun match prog prog -o nowhere/pairs.db 2>err
has err "error["
# Code without functions that it knows of: nothing is matched, and nothing breaks.
printf '\xc3' >code
objcopy -I binary -O elf64-x86-64 -B i386:x86-64 --rename-section .data=.text,code code raw.o
twinrun match raw.o prog >out 2>err || has err "error["

# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A program for another CPU is named as such, before anything runs.
needs_recorder
elf() { # class machine
  printf '%b' "\\x7fELF\\x$1\\x01\\x01"
  head -c 9 /dev/zero
  printf '%b' "\\x02\\x00\\x$2\\x00\\x01\\x00\\x00\\x00"
  head -c 200 /dev/zero
}
elf 02 b7 >aarch64
elf 02 f3 >riscv
elf 01 03 >i386
chmod +x aarch64 riscv i386
status 126 twinrun record -o t.twin -- ./aarch64 2>err
has err "error[R126]" "aarch64" "= help:"
status 126 twinrun record -o t.twin -- ./riscv 2>err
has err "error[R126]"
status 126 twinrun record -o t.twin -- ./i386 2>err
has err "error[R126]" "32-bit" "= help:"
[[ ! -e t.twin && ! -e t.twin.partial ]]

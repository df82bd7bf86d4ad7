# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# ripgrep, as it is installed: a program in Rust without names that finds one line less.
needs_recorder
rg --version >version 2>/dev/null || skip "no ripgrep"
printf 'alpha 10\nbeta 20\ngamma 30\n' >good.txt
printf 'alpha 10\nbeta 2O\ngamma 30\n' >bad.txt
status 1 twinrun why "rg -c '^[a-z]+ [0-9]+\$' good.txt" "rg -c '^[a-z]+ [0-9]+\$' bad.txt" >out 2>log
begins out "bad.txt, byte 15 has 'O' where " "good.txt has '0'"
has out 'standard output, byte 0'

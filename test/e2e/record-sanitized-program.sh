# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sanitizer builds are refused in one line; UBSan alone is not.
needs_recorder
echo 'int main(void) { return 4; }' >t.c
for s in address thread leak; do
  gcc -fsanitize=$s -o "t-$s" t.c || skip "no -fsanitize=$s"
done
gcc -fsanitize=undefined -o t-undefined t.c
for s in address thread; do
  status 125 twinrun record -o t.twin -- ./t-$s 2>err
  has err "twinrun: error[R006]" "-fsanitize" "= help:"
  [[ ! -e t.twin && ! -e t.twin.partial ]]
done
status 4 twinrun record -o t.twin -- ./t-undefined
twinrun verify t.twin

# SPDX-License-Identifier: MIT
# gdb inside a recording: what it debugs is not recorded.
# torture: listed=W013
# torture: needs=gdb
# torture: slow=yes
# torture: timeout=120
printf 'int main(void){return 5;}' > t.c && gcc -g t.c -o t
gdb -q -batch -ex run -ex 'print $_exitcode' ./t < /dev/null 2>&1 | tail -n 1

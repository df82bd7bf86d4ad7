# SPDX-License-Identifier: MIT
# torture: needs=gdb
# torture: listed=W013
# torture: slow=yes
# torture: timeout=300
# A debugger without a program, and one that starts a program.
gdb -batch -nx -ex 'print 6 * 7' </dev/null
gdb -batch -nx -ex run -ex 'print 1' /bin/true >/dev/null 2>&1 </dev/null
echo done

# SPDX-License-Identifier: MIT
# torture: needs=strace
# torture: listed=W013
# strace inside a recording sees the recorder's calls; what it prints goes to a file that differs.
strace -o "/dev/null" /bin/echo traced
strace -f -e trace=none -o "/dev/null" sh -c 'echo a | cat; exit 4'
echo "$?"

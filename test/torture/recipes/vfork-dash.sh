# SPDX-License-Identifier: MIT
# torture: run=dash
# torture: needs=dash
# dash runs commands by vfork: found, missing, no program, with redirections and variables of their own.
true && echo yes
/bin/false || echo "no $?"
no_such_command 2>/dev/null || echo "missing $?"
/etc/passwd 2>/dev/null || echo "no program $?"
A=1 env | grep '^A='
x=$(printf '%s' "a b" | tr a-z A-Z)
echo "$x"
for i in 1 2 3; do expr "$i" + 1; done
ls /no/such 2>/dev/null || echo "ls $?"

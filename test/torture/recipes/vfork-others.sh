# SPDX-License-Identifier: MIT
# torture: needs=make perl lua5.4 awk
# Programs that start others: make, perl, lua, awk, xargs, find, env, timeout.
printf 'all: ; @echo made\n\t@true\nbad: ; @/no/such\n' >Makefile
make -s; make -s bad 2>/dev/null; echo "make $?"
perl -e 'print `echo perl`; system("false") and print $? >> 8, "\n"; print system("/no/such"), "\n"'
lua5.4 -e 'print(os.execute("exit 3")); local f = io.popen("echo lua"); print(f:read("a"))'
awk 'BEGIN { print system("exit 4"); "echo awk" | getline x; print x }'
printf '1\n2\n' | xargs -n1 echo x; printf '1\n' | xargs /no/such 2>/dev/null; echo "xargs $?"
find . -name Makefile -exec echo {} \;
env -i A=1 env; env /no/such 2>/dev/null; echo "env $?"
timeout 5 true; timeout 5 /no/such 2>/dev/null; echo "timeout $?"

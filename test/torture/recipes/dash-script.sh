# SPDX-License-Identifier: MIT
# dash: functions, case, getopts, subshells, exit statuses, signals, wait.
# torture: needs=dash
dash -c '
f() { while getopts ab:c o "$@"; do case $o in a) echo a;; b) echo "b=$OPTARG";; *) echo other;; esac; done; }
f -a -b value -c
(exit 3); echo $?
false || echo no; ! true || echo never
set -- x "y z" w; shift; echo $# "$1"
trap "echo bye" EXIT
i=0; while [ $i -lt 5 ]; do i=$((i+1)); [ $i = 3 ] && continue; printf "%s " $i; done; echo
sleep 0.1 & wait $!; echo $?
eval "v=\$(echo nested \$(echo twice))"; echo $v
kill -l 9
exit 4'
echo $?

# SPDX-License-Identifier: MIT
# Traps: EXIT, ERR, DEBUG, signals to itself and to children.
trap 'echo exit trap $?' EXIT
trap 'echo usr1' USR1; kill -USR1 $$
trap 'echo term' TERM; (kill -TERM $$); 
(trap 'echo int in child; exit 12' INT; kill -INT $BASHPID; echo no); echo $?
trap 'echo err' ERR; false; trap - ERR
bash -c 'trap "exit 9" HUP; sleep 5 & wait' & sleep 0.7; kill -HUP $!; wait $!; echo $?
{ bash -c 'kill -KILL $$'; echo $?; bash -c 'kill -SEGV $$'; echo $?; } 2>/dev/null
exit 21

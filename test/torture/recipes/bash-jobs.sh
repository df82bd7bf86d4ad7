# SPDX-License-Identifier: MIT
# Jobs: background, wait -n, kill, subshells, coprocesses, wait statuses.
(sleep 0.05; exit 3) & a=$!
(exit 4) & b=$!
wait $a; echo $?; wait $b; echo $?
sleep 30 & kill $!; wait $! 2>/dev/null; echo $?
coproc cat; echo hello >&"${COPROC[1]}"; read -r line <&"${COPROC[0]}"; echo "$line"; kill $COPROC_PID
for i in 1 2 3 4 5; do (sleep 0.0$i; echo $i) & done | sort; wait
set -m; sleep 0.02 & fg >/dev/null; echo $?

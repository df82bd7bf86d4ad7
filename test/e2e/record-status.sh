# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# record returns the program's own status.
needs_recorder
for n in 0 1 2 3 77 124 125 126 127 128 200 255; do
  status $n twinrun record -q --force -o t.twin -- sh -c "exit $n"
done
for s in ABRT SEGV TERM KILL INT HUP; do
  number=$(kill -l $s)
  status $((128 + number)) twinrun record -q --force -o t.twin -- sh -c "kill -$s \$\$"
  twinrun verify t.twin
done

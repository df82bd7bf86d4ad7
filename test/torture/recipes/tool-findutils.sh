# SPDX-License-Identifier: MIT
# find, xargs, sort, join, comm, sed, cut and paste over a tree.
mkdir -p a/b/c; for i in $(seq 30); do echo "line $i" >"a/b/f$i"; done; touch -d 2001-01-01 a/b/f3
find a -type f -newermt 2002-01-01 | sort | head -3; find a -name 'f?' -exec cat {} + | sort -k2n | tail -2
find a -type f -print0 | xargs -0 -n7 -P2 grep -lZ 'line 2' | tr '\0' '\n' | sort | wc -l
seq 1 100 | sort -R --random-source=<(yes) | sort -n | sed -n '/^4/{s/4/four/;p}' | head -3
join <(printf '1 a\n2 b\n') <(printf '1 x\n2 y\n') | paste -sd, | cut -d, -f2
comm -12 <(seq 1 9) <(seq 5 12) | tac | tr '\n' ' '; echo
du -a a | sort -k2 | awk '{print $2}' | head -4

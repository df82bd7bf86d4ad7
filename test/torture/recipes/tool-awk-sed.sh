# SPDX-License-Identifier: MIT
# Text tools in a pipeline: awk, sed, sort, uniq, join, tr, cut, paste, comm.
seq 3000 | awk '{ s += $1 * $1 % 11; a[$1 % 7]++ } END { print s; for (i = 0; i < 7; i++) printf "%d ", a[i]; print "" }'
seq 200 | sed -n 's/\(.\)\(.\)$/\2\1/p' | sort -n | uniq -c | sort -k1,1nr -k2,2n | head -n 3
seq 1 2 50 > a; seq 1 3 50 > b
comm -12 <(sort a) <(sort b) | paste -sd, -
join <(sort a) <(sort b) | wc -l
tr 0-9 a-j < a | cut -c1 | tr -d '\n'; echo

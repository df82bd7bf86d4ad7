# SPDX-License-Identifier: MIT
# gzip, bzip2, xz and zstd there and back, in pipes and on damaged input.
# torture: needs=gzip bzip2 xz
seq 1 20000 >in
for t in gzip bzip2 xz; do
  $t -c in | $t -dc | cmp - in && echo "$t $($t -9c in | wc -c)"
  $t -c in | head -c 1000 | $t -dc >out 2>/dev/null; echo "$t $?"
done
gzip -c in | zcat | tail -1

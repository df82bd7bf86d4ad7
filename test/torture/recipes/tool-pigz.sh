# SPDX-License-Identifier: MIT
# pigz with three threads, there and back.
# torture: needs=pigz
seq 60000 > n; pigz -n -p3 -k n; pigz -dc n.gz | cmp - n && gzip -t n.gz && stat -c %s n.gz

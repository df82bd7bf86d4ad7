# SPDX-License-Identifier: MIT
# xz with two threads, there and back.
# torture: needs=xz
seq 60000 > n; xz -T2 --block-size=100KiB -1 -k n; xz -dc n.xz | cmp - n && sha256sum n.xz | cut -c1-20

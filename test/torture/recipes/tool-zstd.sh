# SPDX-License-Identifier: MIT
# zstd with two threads, there and back.
# torture: needs=zstd
seq 60000 > n; zstd -q -T2 -5 n; zstd -q -dc n.zst | cmp - n && sha256sum n.zst | cut -c1-20

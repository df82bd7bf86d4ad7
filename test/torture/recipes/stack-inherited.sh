# SPDX-License-Identifier: MIT
# Limits of the stack that a shell sets are those of the programs that it starts.
ulimit -Ss
sh -c 'ulimit -Ss'
(ulimit -Ss 65536; sh -c 'ulimit -Ss')
(ulimit -Ss 2048; sh -c 'ulimit -Ss'; bash -c 'f() { (( $1 )) && f $(($1 - 1)); }; f 50; echo deep')
(ulimit -Ss unlimited 2>/dev/null; sh -c 'ulimit -Ss')
(ulimit -s 4096; sh -c 'ulimit -Hs; ulimit -Ss 1024 && ulimit -Ss')

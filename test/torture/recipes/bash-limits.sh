# SPDX-License-Identifier: MIT
# Limits as shells set them.
ulimit -c 0; ulimit -c
(ulimit -f 10; ulimit -f)
(ulimit -t 100; ulimit -t)
(ulimit -u >/dev/null && echo has)
(ulimit -s 4096; ulimit -s)
umask 027; umask; umask -S

# SPDX-License-Identifier: MIT
# Limits of open files through shells in shells, soft and hard, and a program under them.
# torture: launch=ulimit -Sn 4096
set -e
ulimit -n
ulimit -n 512
ulimit -n; ulimit -Hn
sh -c 'ulimit -n; ulimit -Hn; sh -c "ulimit -n; bash -c \"ulimit -n; ulimit -Hn\""'
(ulimit -Sn 64; ulimit -n; sh -c 'ulimit -Sn; ulimit -Hn; ulimit -Sn 200; ulimit -Sn'; cat /dev/null && echo cat)
(ulimit -n 32; ulimit -n; echo a b | tr a-z A-Z)
(exec 100</dev/null; ulimit -n 50; sh -c 'ulimit -n; ls /proc/version')
ulimit -n

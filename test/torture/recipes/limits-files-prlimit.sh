# SPDX-License-Identifier: MIT
# torture: needs=prlimit
# prlimit sets a limit for the program that it executes.
prlimit --nofile=128:256 sh -c 'ulimit -Sn; ulimit -Hn'
prlimit --nofile=64:64 prlimit --nofile=32:48 sh -c 'ulimit -Sn; ulimit -Hn'
prlimit --stack=4194304:8388608 sh -c 'ulimit -Ss; ulimit -Hs'
prlimit --core=0 --cpu=100 --fsize=100000000 sh -c 'ulimit -c; ulimit -t; ulimit -f'

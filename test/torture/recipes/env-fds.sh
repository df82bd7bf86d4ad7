# SPDX-License-Identifier: MIT
# A program that looks at its own descriptors finds only those it was given.
ls -1 /proc/self/fd | head -n 20
bash -c 'exec 9</dev/null; for f in /proc/self/fd/*; do echo ${f##*/}; done'
python3 -c 'import os; print(sorted(int(f) for f in os.listdir("/proc/self/fd")))'

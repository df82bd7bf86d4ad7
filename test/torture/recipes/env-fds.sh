# SPDX-License-Identifier: MIT
# A program that lists its own descriptors sees those of the recorder too, at the top.
# torture: listed=W023
ls -1 /proc/self/fd | head -n 20
bash -c 'exec 9</dev/null; for f in /proc/self/fd/*; do echo ${f##*/}; done'
python3 -c 'import os; print(sorted(int(f) for f in os.listdir("/proc/self/fd")))'

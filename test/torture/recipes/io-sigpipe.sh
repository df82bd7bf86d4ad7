# SPDX-License-Identifier: MIT
# Readers that leave early: the writer gets SIGPIPE.
set -o pipefail
yes | head -n 3; echo "${PIPESTATUS[@]}"
seq 100000 | head -n 1; echo $?
(trap '' PIPE; seq 100000 2>/dev/null | true; echo "${PIPESTATUS[@]}")
python3 -c '
import sys
for i in range(100000): print(i)' 2>/dev/null | head -n 2

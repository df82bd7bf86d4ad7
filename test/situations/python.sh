# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A key that is missing, in Python as it is installed. The interpreter executes 40 million instructions before.
needs_recorder
[[ ${TWINRUN_TEST_ALL:-0} == 1 ]] || skip "heavy: TWINRUN_TEST_ALL=1"
[[ -x /usr/bin/python3 ]] || skip "no python3"
cat >price.py <<'P'
import sys
prices = {"apple": 3, "pear": 5}
for line in open(sys.argv[1]):
    name, count = line.split()
    print(name, prices[name] * int(count))
P
printf 'pear 7\napple 5\n' >good.txt
printf 'pear 7\naple 5\n' >bad.txt
export PYTHONHASHSEED=0 PYTHONDONTWRITEBYTECODE=1
status 1 twinrun why '/usr/bin/python3 -I price.py good.txt' '/usr/bin/python3 -I price.py bad.txt' >out 2>log
begins out "bad.txt, line 2" "KeyError: 'aple'"

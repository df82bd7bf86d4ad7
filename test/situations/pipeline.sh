# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A shell script with a pipeline: which line of its input.
needs_recorder
cat >report.sh <<'S'
sort "$1" | while read -r name count; do
  if [ "$count" -gt 100 ]; then
    echo "too many of $name" >&2
    exit 4
  fi
done
S
printf 'pear 7\napple 5\nplum 30\n' >good.txt
printf 'pear 7\napple 5\nplum 300\n' >bad.txt
status 1 twinrun why 'sh report.sh good.txt' 'sh report.sh bad.txt' >out 2>log
begins out "bad.txt, line 3" "too many of plum"

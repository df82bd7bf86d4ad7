# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Programs cut short or with broken headers: an error of ours, or the end that the kernel gives them.
needs_recorder
for size in 0 3 16 63 64 100 4096; do
  head -c "$size" /bin/true >"cut$size"
  chmod +x "cut$size"
  got=0
  twinrun record -o "t$size.twin" -- "./cut$size" 2>err || got=$?
  ((got != 0 && got != 134)) || fail "cut at $size: status $got"
  [[ $(wc -l <err) -le 4 ]] || fail "cut at $size: $(cat err)"
done

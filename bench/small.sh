#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# small.sh BEFORE AFTER [N]: CPU time of `why` on the recorded pair of the demo, for two builds: the first one
# and the second one without a cache, with an empty one, and with one that knows the binaries. The least of N.
set -euo pipefail
if (($# < 2)); then
  echo 'compares two builds, which have to be named: small.sh BEFORE AFTER [N]'
  exit 0
fi
before=$(realpath "$1")
after=$(realpath "$2")
times=${3:-7}
example=$(dirname "$(realpath "${BASH_SOURCE[0]}")")/../examples/csvsum
work=$(mktemp -d "${TMPDIR:-/tmp}/twinrun-small.XXXXXX")
trap 'rm -rf "$work"' EXIT
cp "$example"/csvsum.c "$example"/good.csv "$example"/bad.csv "$work"
cd "$work"
export XDG_DATA_HOME=$work/data XDG_CACHE_HOME=$work/cache
cc -g -O0 -o csvsum csvsum.c
for run in good bad; do
  "$before" record -o "$run" -- ./csvsum "$run.csv" >/dev/null 2>&1 || true
done

# User and system time of one command, in milliseconds.
cpu() {
  local TIMEFORMAT='%U %S' spent
  spent=$({ time "$@" >"$work/out" 2>/dev/null || true; } 2>&1)
  awk '{ printf "%d\n", ($1 + $2) * 1000 }' <<<"$spent"
}

least() {
  local best='' now i
  for ((i = 0; i < times; ++i)); do
    [[ $1 != empty ]] || rm -rf "$XDG_CACHE_HOME"
    # A kept answer would be measured instead.
    find "$XDG_DATA_HOME" -name "*.why-*" -delete
    now=$(cpu "${@:2}")
    if [[ -z $best || $now -lt $best ]]; then best=$now; fi
  done
  echo "$best"
}

base=$(least kept "$before" why good bad)
cp out before.txt
row() { printf '%-8s %5d ms  %.2f\n' "$1" "$2" "$(awk -v a="$2" -v b="$base" 'BEGIN { print a / b }')"; }
row before "$base"
row off "$(least kept env TWINRUN_CACHE=off "$after" why good bad)"
row cold "$(least empty "$after" why good bad)"
row warm "$(least kept "$after" why good bad)"
cmp before.txt out && echo 'same answer'

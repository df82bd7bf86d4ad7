#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# calls.sh BEFORE AFTER [N [TIMES]]: what recording a system call costs in two builds: the recorder's CPU time for
# programs that make one call TIMES times, the least of N rounds, in which the builds take turns.
set -euo pipefail
if (($# < 2)); then
  echo 'compares two builds, which have to be named: calls.sh BEFORE AFTER [N [TIMES]]'
  exit 0
fi
builds=("$(realpath "$1")" "$(realpath "$2")")
rounds=${3:-7}
times=${4:-40000}
work=$(mktemp -d "${TMPDIR:-/tmp}/twinrun-calls.XXXXXX")
trap 'rm -rf "$work"' EXIT
cc -O1 -o "$work/calls" "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/workloads/calls.c"
cd "$work"
kinds=(none getppid read write stat clock poll name message fcntl ioctl unknown mmap limit vfork)
declare -A least
for ((round = 0; round < rounds; ++round)); do
  for kind in "${kinds[@]}"; do
    for side in 0 1; do
      "${builds[side]}" record -q --force --json summary -o calls.twin -- ./calls "$kind" "$times" >/dev/null
      now=$(sed -nE 's/.*"tool_cpu_seconds": ?([0-9.]+).*/\1/p' summary)
      least[$kind$side]=$(awk -v a="${least[$kind$side]:-}" -v b="$now" 'BEGIN { print a == "" || b < a ? b : a }')
    done
  done
done
printf '%-8s %9s %9s  %s\n' call 'before s' 'after s' ratio
for kind in "${kinds[@]}"; do
  awk -v k="$kind" -v a="${least[${kind}0]}" -v b="${least[${kind}1]}" \
    'BEGIN { printf "%-8s %9.3f %9.3f  %.2f\n", k, a, b, b / a }'
done

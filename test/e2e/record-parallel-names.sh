# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Recorders that start at the same time choose different names.
needs_recorder
pids=()
for _ in 1 2 3 4; do
  twinrun record -q true &
  pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid"; done
[[ $(twinrun ls --names | sort | tr '\n' ' ') == "true-1 true-2 true-3 true-4 " ]]

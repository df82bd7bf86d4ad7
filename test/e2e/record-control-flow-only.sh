# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# --control-flow-only: the same instructions, a smaller file, and it says what is missing.
needs_recorder
# Without -S, sort takes its buffer's size from the memory that is free now, and runs differ.
twinrun record -o full.twin -- sort -S 1M /etc/services >out1
twinrun record --control-flow-only -o flow.twin -- sort -S 1M /etc/services >out2
same out1 out2
# Nothing is made beside it that the summary does not tell; the first question about paths makes their index.
[[ ! -e flow.twin.paths && ! -e full.twin.paths ]]
twinrun paths flow.twin --hot --all-modules >out
has out SHARE
[[ -e flow.twin.paths ]]
twinrun verify full.twin
twinrun verify flow.twin
count() { twinrun info --json "$1" | python3 -c 'import json, sys; print(json.load(sys.stdin)["instructions"])'; }
[[ $(count full.twin) == $(count flow.twin) ]]
(($(stat -c %s flow.twin) < $(stat -c %s full.twin)))

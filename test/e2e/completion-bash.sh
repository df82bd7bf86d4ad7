# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The script parses, and completes verbs, flags and recordings.
twinrun completion bash >twinrun.bash
bash -n twinrun.bash
complete_words() {
  # shellcheck disable=SC1091
  . ./twinrun.bash
  COMP_WORDS=("$@")
  COMP_CWORD=$(($# - 1))
  COMPREPLY=()
  _twinrun
  printf '%s\n' "${COMPREPLY[@]}"
}
[[ $(complete_words twinrun rec) == record ]]
[[ $(complete_words twinrun record --contr) == --control-flow-only ]]
[[ $(complete_words twinrun completion f) == fish ]]
[[ $(complete_words twinrun help doc) == doctor ]]
mkdir -p "$XDG_DATA_HOME/twinrun"
touch "$XDG_DATA_HOME/twinrun/mine.twin"
[[ $(complete_words twinrun rm mi) == mine ]]

# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A zsh that has read the script completes verbs, flags, their values and recordings.
. "$TWINRUN_SOURCE/test/e2e/completion.sh"
check_completion zsh

# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A bash that has read the script completes verbs, flags, their values and recordings.
. "$TWINRUN_SOURCE/test/e2e/completion.sh"
check_completion bash

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Our scripts pass shellcheck. Torture recipes are input for the recorder, not part of the tool.
set -euo pipefail
. "$(dirname "$0")/files.sh"
command -v shellcheck >/dev/null || exit 77
root=$1
mapfile -t files < <(tree_files "$root" '*.sh' dev '.ci/run' 'test/e2e/run' | grep -v '^test/torture/recipes/')
cd "$root"
# 1090, 1091: sourced files are checked on their own. 2154: variables that the sourcing script sets.
shellcheck --severity=warning --exclude=SC1090,SC1091,SC2154 "${files[@]}"

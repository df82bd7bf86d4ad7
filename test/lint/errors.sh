#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every error code in the source is in docs/errors.md, and the other way round.
set -euo pipefail
. "$(dirname "$0")/files.sh"
root=$1
code='[A-Z][0-9]{3}'
tree_files "$root" 'src/*.cc' 'src/*.h' | grep '^src/' | grep -v '_test\.cc$' |
  (cd "$root" && xargs -d '\n' grep -ohE "\"$code\"") | tr -d '"' | sort -u >"${TMPDIR:-/tmp}/used.$$"
grep -oE "^\| $code " "$root/docs/errors.md" | tr -d '| ' | sort -u >"${TMPDIR:-/tmp}/told.$$"
trap 'rm -f "${TMPDIR:-/tmp}/used.$$" "${TMPDIR:-/tmp}/told.$$"' EXIT
[[ -s ${TMPDIR:-/tmp}/used.$$ ]]
diff --label 'codes in src' --label docs/errors.md -u "${TMPDIR:-/tmp}/used.$$" "${TMPDIR:-/tmp}/told.$$"

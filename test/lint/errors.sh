#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every error code in the source is in docs/errors.md, and the other way round. Warnings (W...) are
# in docs/limits.md.
set -euo pipefail
. "$(dirname "$0")/files.sh"
root=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree_files "$root" 'src/*.cc' 'src/*.h' | grep '^src/' | grep -vE '(_test\.cc|_builder\.h)$' |
  (cd "$root" && xargs -d '\n' sed 's|//.*||') | grep -oE '"([A-VX-Z]0[0-9]{2}|R12[67])"' |
  tr -d '"' | sort -u >"$work/used"
grep -oE '^\| [A-Z][0-9]{3} ' "$root/docs/errors.md" | tr -d '| ' | sort -u >"$work/told"
[[ -s $work/used ]]
diff --label 'codes in src' --label docs/errors.md -u "$work/used" "$work/told"

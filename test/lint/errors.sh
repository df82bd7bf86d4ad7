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

# Every warning too: in the recorder, in the driver, in docs/limits.md, and each of them made to appear by a test.
tree_files "$root" 'recorder/*.c' 'src/record/*.cc' | (cd "$root" && xargs -d '\n' cat) |
  grep -oE '"W[0-9]{3}"|\[W[0-9]{3}\]' | tr -d '"[]' | sort -u >"$work/said"
grep -oE '^\| W[0-9]{3} ' "$root/docs/limits.md" | tr -d '| ' | sort -u >"$work/told"
[[ -s $work/said ]]
diff --label 'warnings in the source' --label docs/limits.md -u "$work/said" "$work/told"
bad=0
while IFS= read -r code; do
  grep -rqw "$code" "$root/test/e2e" "$root/test/torture/recipes" || {
    echo "$code: no test makes it appear"
    bad=1
  }
done <"$work/told"
exit $bad

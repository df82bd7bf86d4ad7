#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# docs/trace-format.md lists the kinds of format/events.def; and a kind that is new does not compile
# in any of the places that docs/adding.md says the compiler names.
set -euo pipefail
root=$1
compiler=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sed -nE 's/^EVENT\(([0-9]+), ([A-Z_]+),.*/\1 \L\2/p' "$root/format/events.def" >"$work/defined"
sed -n '/^## Events/,/^### /p' "$root/docs/trace-format.md" |
  sed -nE 's/^\| ([0-9]+) \| ([a-z_]+) \|.*/\1 \2/p' >"$work/told"
[[ -s $work/defined ]]
diff --label format/events.def --label docs/trace-format.md -u "$work/defined" "$work/told"

# Headers look for the copy first.
cp -r "$root/format" "$work/format"
echo 'EVENT(255, LINT, Lint, Process, None, None, None)' >>"$work/format/events.def"
mapfile -t places < <(sed -n '/^## An event kind/,/^## A /p' "$root/docs/adding.md" |
  sed -nE 's/^ *\| .[A-Za-z_:]+. \((src[a-z_/]*\.cc)\) \|.*/\1/p')
bad=0
((${#places[@]} >= 4)) || bad=1
for file in "${places[@]}"; do
  if "$compiler" -std=c++23 -fsyntax-only -Werror=switch -I"$work" -I"$root/src" -I"$root" \
    "$root/$file" 2>"$work/says"; then
    echo "$file: compiles with a kind that it does not know"
    bad=1
  elif ! grep -q 'kLint.* not handled' "$work/says"; then
    echo "$file: does not compile for another reason"
    head -5 "$work/says"
    bad=1
  fi
done
exit $bad

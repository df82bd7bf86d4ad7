#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# manuals.sh ROOT TWINRUN BUILD: each verb has a page in docs/cli/ whose section Options names the
# same flags as `twinrun VERB --help`, and a man page that man(1) reads without complaint.
set -euo pipefail
root=$1 twinrun=$2 build=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
verbs=$("$twinrun" help --json | python3 -c '
import json, sys
for verb in json.load(sys.stdin)["verbs"]: print(verb["name"])')
for verb in $verbs; do
  page=$root/docs/cli/$verb.md
  if [[ ! -f $page ]]; then
    echo "docs/cli/$verb.md is missing"
    bad=1
    continue
  fi
  head -n 1 "$page" | grep -qx "# twinrun-$verb" || { echo "$page: first line"; bad=1; }
  # Descriptions may mention flags too; only the words before the two blanks are declarations.
  "$twinrun" "$verb" --help | sed -nE 's/^ +(-[^ ].*)$/\1/p' | sed -E 's/  .*//' |
    grep -oE -- '-{1,2}[a-zA-Z][a-zA-Z-]*' | sort -u >"$work/help"
  sed -n '/^## Options/,/^## /p' "$page" | grep -E '^- `-' | grep -oE -- '`-{1,2}[a-zA-Z][a-zA-Z-]*' |
    tr -d '`' | sort -u >"$work/page"
  [[ -s $work/help ]]
  diff -u --label "twinrun $verb --help" --label "docs/cli/$verb.md" "$work/help" "$work/page" || bad=1
  man_page=$build/share/man/man1/twinrun-$verb.1
  if command -v man >/dev/null; then
    MANROFFOPT=-ww man --warnings -E UTF-8 -l -Tutf8 -Z "$man_page" >/dev/null 2>"$work/warnings" || bad=1
    if [[ -s $work/warnings ]]; then
      echo "$man_page:"
      cat "$work/warnings"
      bad=1
    fi
  fi
done
for page in "$root"/docs/cli/*.md; do
  verb=$(basename "$page" .md)
  [[ $verb == twinrun ]] || grep -qx "$verb" <<<"$verbs" || { echo "$page: no such verb"; bad=1; }
done
exit $bad

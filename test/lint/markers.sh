#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What is unfinished belongs into the issue tracker, not into the source.
set -euo pipefail
. "$(dirname "$0")/files.sh"
root=$1
found=$(tree_files "$root" '*.c' '*.cc' '*.h' '*.S' '*.sh' '*.py' '*.awk' '*.cmake' '*CMakeLists.txt' \
  '*.md' '*.ts' '*.tsx' '*.mjs' '*.css' dev | grep -v '^test/lint/markers.sh$' |
  (cd "$root" && xargs -d '\n' grep -nwE 'TODO|FIXME|XXX|HACK') || true)
[[ -z $found ]] || {
  echo "$found"
  exit 1
}

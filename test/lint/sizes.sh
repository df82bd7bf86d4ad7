#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# No god files: at most 1000 lines each, 250 for a verb, 200 for ARCHITECTURE.md.
set -euo pipefail
. "$(dirname "$0")/files.sh"
root=$1
bad=0
count=0
while IFS= read -r file; do
  limit=1000
  [[ $file == src/cli/cmd_* ]] && limit=250
  [[ $file == ARCHITECTURE.md ]] && limit=200
  lines=$(wc -l <"$root/$file")
  count=$((count + 1))
  if ((lines > limit)); then
    echo "$file: $lines lines, at most $limit are allowed"
    bad=1
  fi
done < <(tree_files "$root" '*.c' '*.cc' '*.h' '*.sh' '*.py' '*.awk' '*.cmake' '*CMakeLists.txt' \
  '*.ts' '*.tsx' '*.mjs' '*.css' ARCHITECTURE.md)
echo "$count files"
((count > 20)) || bad=1
exit $bad

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Each source file names its licence in its first three lines: GPL in recorder/, MIT elsewhere.
set -euo pipefail
. "$(dirname "$0")/files.sh"
root=$1
bad=0
count=0
while IFS= read -r file; do
  want=MIT
  [[ $file == recorder/* ]] && want=GPL-2.0-or-later
  count=$((count + 1))
  if ! head -n 3 "$root/$file" | grep -q "SPDX-License-Identifier: $want\b"; then
    echo "$file: no line 'SPDX-License-Identifier: $want' at the start"
    bad=1
  fi
done < <(tree_files "$root" '*.c' '*.cc' '*.cpp' '*.h' '*.S' '*.def' '*.sh' '*.py' '*.awk' '*.cmake' \
  '*.ts' '*.tsx' '*.mjs' '*.css' \
  '*CMakeLists.txt' '*.in' '.clang-*' dev '.ci/run' dev-packages.txt)
echo "$count files"
((count > 20)) || bad=1
exit $bad

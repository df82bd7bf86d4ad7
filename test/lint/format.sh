#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# clang-format-19 would change nothing.
set -euo pipefail
. "$(dirname "$0")/files.sh"
command -v clang-format-19 >/dev/null || exit 77
root=$1
mapfile -t files < <(tree_files "$root" 'src/*.cc' 'src/*.h' 'fuzz/*.cc' | grep -E '^(src|fuzz)/')
((${#files[@]} > 20))
cd "$root"
clang-format-19 --dry-run --Werror "${files[@]}"

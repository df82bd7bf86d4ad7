# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# files PATTERN...: the tracked and new files of the tree $1 that match, without ignored ones; also
# works in a tree without git (a source archive).
tree_files() {
  local root=$1
  shift
  if git -C "$root" rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    # A tracked file may be missing from the work tree.
    (cd "$root" && git ls-files --cached --others --exclude-standard -- "$@" | sort -u |
      while IFS= read -r file; do if [[ -f $file ]]; then printf '%s\n' "$file"; fi; done)
  else
    local pattern file
    (cd "$root" && for pattern in "$@"; do
      find . -path ./build -prune -o -type f -name "$(basename "$pattern")" -print
    done | sed 's|^\./||' | sort -u | while IFS= read -r file; do printf '%s\n' "$file"; done)
  fi
}

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# All text goes out through cli/terminal.cc, which looks at it once more: names of binaries, paths and
# what a program wrote are anybody's, and a new verb may forget to escape them. All JSON is made by
# report/json.cc, for the same reason.
set -euo pipefail
. "$(dirname "$0")/files.sh"
root=$1
bad=0
# look WHAT PATTERN EXCEPT: no file has PATTERN, but for those that EXCEPT matches.
look() {
  local found
  found=$(tree_files "$root" 'src/*.cc' 'src/*.h' | grep '^src/' | grep -vE "_test\.cc$|_builder\.h$|$3" |
    (cd "$root" && xargs -d '\n' grep -nE "$2") | grep -vE ':[0-9]+: *//' || true)
  [[ -z $found ]] && return
  echo "$1:"
  echo "$found"
  bad=1
}
look 'writes to standard output' '(fwrite|fput[sc]|fprintf|vfprintf|putc)\(.*stdout|std::cout|\bputs\(|\bprintf\(|fmt::print|STDOUT_FILENO, [a-z]+\.data' \
  '^src/cli/(terminal|pager)\.cc$'
look 'renders JSON' '\bdump\((-?[0-9]|\))' '^src/report/json\.cc$'
exit $bad

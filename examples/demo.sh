#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# demo.sh TWINRUN [PAGE]: builds csvsum, records a good and a bad run of it, and shows what is recorded, why
# the bad run fails, and where the wrong number came from.
# Leaves nothing behind but the page that shows it, if it is told where.
set -euo pipefail
twinrun_program=$(realpath "$1")
page=${2:+$(realpath -m "$2")}
example=$(dirname "$(realpath "${BASH_SOURCE[0]}")")/csvsum
work=$(mktemp -d "${TMPDIR:-/tmp}/twinrun-demo.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
export XDG_DATA_HOME=$work/data
PATH=$(dirname "$twinrun_program"):$PATH

# Prints a command as the user would type it, runs it, and lets the recorded program fail.
show() {
  printf '\n$ %s\n' "$*"
  "$@" || printf '(exit status %s)\n' "$?"
}

cp "$example/csvsum.c" "$example/good.csv" "$example/bad.csv" .
show cc -g -O0 -o csvsum csvsum.c
show twinrun record -o good -- ./csvsum good.csv
show twinrun record -o bad -- ./csvsum bad.csv
show twinrun ls
show twinrun info good

printf '\nWhy does the bad run fail?\n'
show twinrun why good bad

printf '\nThe same from one run alone: who wrote h->ncols?\n'
show twinrun who --at csvsum.c:34#last --what 'h->ncols' --depth 5 bad

if [[ -n $page ]]; then
  show twinrun report good bad --force -o "$page"
fi

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# demo.sh TWINRUN: builds csvsum, records a good and a bad run of it, and shows what is recorded,
# which functions executed different numbers of instructions, and where the wrong number came from.
# Leaves nothing behind.
set -euo pipefail
twinrun_program=$(realpath "$1")
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

printf '\nFunctions of csvsum that executed different numbers of instructions:\n'
for run in good bad; do
  twinrun info "$run" --functions --json --all >"$run.json"
done
python3 - <<'EOF'
import json

def counts(run):
    totals = {}
    for f in json.load(open(run + ".json"))["functions"]:
        if f["module"].split("/")[-1] == "csvsum":
            name = f["function"] or "(no name)"
            totals[name] = totals.get(name, 0) + f["instructions"]
    return totals

good, bad = counts("good"), counts("bad")
names = [n for n in {**good, **bad} if good.get(n, 0) != bad.get(n, 0)]
print(f"  {'function':<16}{'good':>10}{'bad':>10}")
for name in sorted(names, key=lambda n: (-abs(good.get(n, 0) - bad.get(n, 0)), n)):
    print(f"  {name:<16}{good.get(name, 0):>10}{bad.get(name, 0):>10}")
EOF

printf '\nThe bad run fails in line 34 because h->ncols is too large. Who wrote it?\n'
show twinrun who --at csvsum.c:34#last --what 'h->ncols' --depth 5 bad

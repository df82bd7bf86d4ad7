#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# page.sh ROOT BUILD: the report page in a browser. TWINRUN is the program.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
root=$1 dir=$2/web
here=$(dirname "$(realpath "$0")")
needs_node "$dir"
browser=$(command -v chromium || true)
[[ -n $browser ]] || missing chromium
[[ -x $(dirname "$TWINRUN")/../libexec/twinrun/twinrun-amd64-linux ]] || skip "no recorder"
copy_with_modules "$root" "$dir"

work=$(mktemp -d "${TMPDIR:-/tmp}/twinrun-web.XXXXXX")
trap 'rm -rf "$work"' EXIT
export XDG_DATA_HOME=$work/data
cd "$work"
cp "$root"/examples/csvsum/* .
cc -g -O0 -o csvsum csvsum.c
"$TWINRUN" record -q -o good -- ./csvsum good.csv >/dev/null
"$TWINRUN" record -q -o bad -- ./csvsum bad.csv >/dev/null 2>&1 || true
status=0
"$TWINRUN" report good bad -o example.html || status=$?
((status == 1)) || exit 1

# A program whose functions, arguments and files have hostile names.
python3 "$here/hostile.py" names >names
python3 "$here/hostile.py" program >hostile.c
cc -O0 -c -o hostile.o hostile.c
redefine=()
number=0
while IFS= read -r name; do
  redefine+=(--redefine-sym "f$number=$name")
  number=$((number + 1))
done <names
objcopy "${redefine[@]}" hostile.o
cc -o hostile hostile.o
evil='<img src=x onerror=window.pwned=1></script><script>window.pwned=1</script>'
"$TWINRUN" record -q -o ha -- ./hostile 3 "$evil" >/dev/null || true
"$TWINRUN" record -q -o hb -- ./hostile 70 "$evil" >/dev/null || true
status=0
"$TWINRUN" report ha hb -o hostile.html || status=$?
((status == 1)) || exit 1

BROWSER=$browser WORK=$work TEMPLATE=$root/web/dist/report.html MODULES=$dir/node_modules \
  node --test-reporter=spec "$here/page.mjs"

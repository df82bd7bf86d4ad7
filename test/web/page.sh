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

# report NAME A B: what the runs of two commands show.
report() {
  local name=$1 side=a
  shift
  for command in "$@"; do
    # shellcheck disable=SC2086 # words of a command
    "$TWINRUN" record -q -o "$name-$side" -- $command >/dev/null 2>&1 || true
    side=b
  done
  local status=0
  "$TWINRUN" report "$name-a" "$name-b" -o "$name.html" 2>"$name.log" || status=$?
  ((status == 1)) || { cat "$name.log"; exit 1; }
}

# Without debug information; in C++; of several processes; and a way that is too long to be told.
cc -O2 -s -o bare csvsum.c
report bare './bare good.csv' './bare bad.csv'
cat >order.cc <<'C'
#include <fstream>
#include <iostream>
#include <string>
#include <vector>
struct Item {
  std::string name;
  int count = 0;
  int price = 0;
};
static int discount(const Item &item) {
  if (item.count > 10) return item.price;
  return 0;
}
int main(int argc, char **argv) {
  std::ifstream in(argv[1]);
  std::vector<Item> items;
  for (Item item; in >> item.name >> item.count >> item.price;) items.push_back(item);
  int sum = 0;
  for (const Item &item : items) sum += item.count * (item.price - discount(item));
  std::cout << "total " << sum << "\n";
}
C
c++ -g -O0 -o order order.cc
printf 'nut 4 10\nbolt 10 3\n' >few.txt
printf 'nut 4 10\nbolt 12 3\n' >many.txt
report order './order few.txt' './order many.txt'
cat >sums.sh <<'S'
sort "$1" | while read -r name count; do
  if [ "$count" -gt 100 ]; then
    echo "too many of $name" >&2
    exit 4
  fi
done
S
printf 'pear 7\nplum 30\n' >low.txt
printf 'pear 7\nplum 300\n' >high.txt
report shell 'sh sums.sh low.txt' 'sh sums.sh high.txt'
{
  printf '#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n  int v0 = atoi(argv[1]);\n'
  for i in {1..40}; do printf '  int v%d = v%d * 3 + %d;\n' "$i" $((i - 1)) "$i"; done
  printf '  printf("%%d\\n", v40);\n}\n'
} >long.c
cc -g -O0 -o long long.c
report long './long 1' './long 2'

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
  node --test --test-concurrency=1 --test-reporter=spec "$here/page.mjs" "$here/graph.mjs"

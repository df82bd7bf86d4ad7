# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Two versions of a program: with names, without, stripped, PIE and static, by another compiler.
cat >old.c <<'C'
#include <stdio.h>
#include <string.h>
static const char *names[] = {"alpha", "beta", "gamma"};
static int table[16] = {3, 1, 4, 1, 5, 9, 2, 6};
static int calls;
__attribute__((noinline)) int checksum(const char *text) {
  unsigned sum = 5381;
  for (; *text; text++) sum = sum * 33 + (unsigned char)*text;
  return (int)(sum & 0xffff);
}
__attribute__((noinline)) int pick(int n) {
  calls++;
  switch (n) {
    case 0: return table[1] * 7;
    case 1: return checksum(names[0]);
    case 2: return table[n] + 1000;
    case 3: return checksum("three");
    case 4: return -table[4];
    case 5: return (int)strlen(names[2]);
    default: return n;
  }
}
__attribute__((noinline)) int total(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) {
    if (i % 3 == 0) sum += pick(i);
    else sum ^= table[i & 15];
  }
  return sum;
}
int main(int argc, char **argv) {
  printf("%d %d\n", total(20 + argc), calls);
  return 0;
}
C
# A new function, a longer one, more data.
sed -e 's/int table\[16\]/int more[8] = {7}; static int table[16]/' \
  -e 's/^__attribute__((noinline)) int total/__attribute__((noinline)) int fresh(int n) { return n * more[n \& 7] - 11; }\n&/' \
  -e 's/sum += pick(i);/sum += pick(i) + fresh(i);/' old.c >new.c
cc -O2 -g -fno-pie -no-pie -o old old.c
cc -O2 -g -fno-pie -no-pie -o new new.c

twinrun match old new >out
has out "functions" "blocks" "data" "by" "exact" "name"
twinrun match old new --functions --blocks --data --unmatched --json >all.json
json all.json 'd["schema"] == "twinrun.match.v1"'
json all.json 'd["matched"]["functions"] == d["old"]["functions"]'
json all.json '{(f["old_name"], f["new_name"], f["rule"]) for f in d["function_pairs"]} >= {("total", "total", "name"), ("pick", "pick", "name")}'
json all.json '[u["function"] for u in d["unmatched"] if u["what"] == "function"] == ["fresh"]'
json all.json 'len({b["old"] for b in d["block_pairs"]}) == len(d["block_pairs"]) == len({b["new"] for b in d["block_pairs"]})'
twinrun match old new --functions --limit 2 >out
has out "and " " more"

# Without names: the same pairs.
address() { nm "$1" | awk -v name="$2" '$3 == name {print "0x" $1}'; }
twinrun match --no-names old new --functions --json >hidden.json
for name in checksum pick total; do
  json hidden.json "($(address old $name), $(address new $name)) in [(f['old'], f['new']) for f in d['function_pairs']]"
done
strip -s -o old-stripped old
strip -s -o new-stripped new
twinrun match old-stripped new-stripped --functions --json >stripped.json
for name in checksum pick total; do
  json stripped.json "($(address old $name), $(address new $name)) in [(f['old'], f['new']) for f in d['function_pairs']]"
done

# Where it is loaded does not matter, nor what else is linked in.
cc -O2 -g -fPIE -pie -o pie new.c
twinrun match old pie --functions --json >pie.json
json pie.json '[f["matched_blocks"] / f["blocks"][0] for f in d["function_pairs"] if f["old_name"] == "checksum"] == [1]'
cc -O2 -g -static -o static new.c
twinrun match old static --functions --json >static.json
json static.json '{"checksum", "pick", "total"} <= {f["new_name"] for f in d["function_pairs"]}'
if command -v clang-19 >/dev/null; then
  clang-19 -O2 -g -o clang new.c
  twinrun match old clang --blocks --json >clang.json
  json clang.json 'len(d["block_pairs"]) > 10'
fi

# The reason, by address and by name, of either side.
twinrun match old new --why "$(address old checksum)" >out
has out "function" "checksum" "exact by name" "block" "the same on levels" "movzx"
twinrun match old new --why new:fresh >out
has out "unmatched"
twinrun match old new --why total --json >why.json
json why.json 'd["function"]["old_name"] == "total" and d["code"]'

# The steps and levels are the user's.
twinrun match old new --steps hash --levels 0 --json >steps.json
json steps.json '{r["rule"] for r in d["rules"]} == {"hash"} and {r["level"] for r in d["rules"]} == {"0"}'
twinrun match old new --steps name,block-hash --block-levels 4,5 --json >steps.json
json steps.json '{r["level"] for r in d["rules"] if r["of"] == "blocks"} <= {"4", "5"}'

# The database.
twinrun match old new -o pairs.db >/dev/null
status 2 twinrun match old new -o pairs.db 2>err
has err "error[S009]" "--force"
twinrun match old new -o pairs.db --force >/dev/null
python3 - <<'PY'
import sqlite3
c = sqlite3.connect("pairs.db")
one = lambda sql: c.execute(sql).fetchone()[0]
assert one("select count(*) from file") == 2
assert one("select count(*) from function where name1 = 'total' and name2 = 'total' and strength = 'exact'") == 1
assert one("select count(*) from basicblock b join function f on f.id = b.function_id where f.name1 = 'pick'") > 5
assert one("select count(*) from instruction i join basicblock b on b.id = i.basicblock_id where i.address1 < b.address1") == 0
assert one("select count(*) from data") > 3
assert one("select count(*) from unmatched where side = 'new' and function = 'fresh'") == 1
PY

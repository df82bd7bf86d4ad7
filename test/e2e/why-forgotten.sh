# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A pointer that is never set: the answer names what set the fields beside it. And lines are ranked by what the whole runs
# tell: a branch that goes a new way.
needs_recorder
cat >prog.c <<'C'
#include <stdlib.h>
struct tables {
  const int *first;
  const int *second;
  const int *third;
  const int *fourth;
};
static const int table[4] = {1, 2, 3, 4};
static void set_tables(struct tables *t) {
  t->first = &table[0];
  t->second = &table[1];
  /* the fault: t->third is not set */
  t->fourth = &table[3];
}
static int look_up(const struct tables *t, char c) {
  if (c == 'c')
    return *t->third;
  return *t->first;
}
int main(int argc, char **argv) {
  struct tables *t = calloc(1, sizeof *t);
  set_tables(t);
  return argc > 1 ? look_up(t, argv[1][0]) : 9;
}
C
gcc -g -O0 -o prog prog.c
status 1 twinrun why './prog a' './prog c' >out 2>/dev/null
has out 'prog.c:16'
grep -E 'prog.c:1[13] .*\(writes beside a pointer that is NULL in B, and not that one' out || {
  cat out
  exit 1
}
status 1 twinrun why --json './prog a' './prog c' >json 2>/dev/null
python3 -c 'import json
d = json.load(open("json"))
rows = {s["line"]: s for s in d["statements"] if "line" in s}
assert rows[11]["beside"] and rows[13]["beside"], rows
assert "beside" not in rows.get(10, {}), rows[10]
assert rows[16]["new_way"] and rows[16]["times"] == {"a": 1, "b": 1}, rows[16]
assert rows[17]["times"] == {"a": 0, "b": 1}, rows[17]
assert [s["suspicion"] for s in d["statements"]] == sorted((s["suspicion"] for s in d["statements"]), reverse=True)'

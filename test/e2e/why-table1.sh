# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Each row of table I of differential slicing, by the name that the graph gives it. The first argument chooses the
# row, the second is what differs: 0 in the passing run, 1 in the failing one.
needs_recorder
cat >prog.c <<'C'
static volatile int value = 3, other = 4;
static int cells[4] = {10, 20, 30, 40};
int main(int argc, char **argv) {
  volatile int differs = argv[2][0] - '0';
  switch (argv[1][0]) {
    case 'x': if (differs) value = 7; return value;            // extra execution
    case 'o': if (!differs) value = 7; return value;           // execution omission
    case 'd': if (differs) value = 7; else value = 8; return value;  // execution difference
    case 'r': return cells[differs];                           // wild read
    case 'w': cells[2] = 5; cells[1 + differs] = 6; return cells[2];  // wild write
  }
  return 99;
}
C
cc -g -O0 -o prog prog.c
for row in x o d r w; do
  twinrun record -q -o "a$row" -- ./prog $row 0 || true
  twinrun record -q -o "b$row" -- ./prog $row 1 || true
  status 1 twinrun why --json --enhance none "a$row" "b$row" >"$row.json"
  # Every row ends at the argument that made the difference.
  json $row.json 'any(n["kind"] == "input" and n["input_b"]["input"] == "argv[2]" for n in d["graph"]["nodes"])'
done
types='sorted(n["divergence"] for n in d["graph"]["nodes"] if n["kind"] == "unaligned")'
json x.json "$types == ['extra execution']"
json o.json "$types == ['execution omission']"
json d.json "$types == ['execution difference']"
# A wild read has no node of its own: the reader's address is what differs.
json r.json "$types == []"
json r.json 'any(e.get("address") for e in d["graph"]["edges"])'
json w.json "$types == ['wild write']"

# What only one run executed is one region, and goes back to the branch that decided.
decided='[n["id"] for n in d["graph"]["nodes"] if n.get("decides")]'
apart='[n for n in d["graph"]["nodes"] if n["kind"] == "unaligned"]'
for row in x o d; do
  json $row.json "any(e['kind'] == 'control' and e['to'] in $decided and e['from'] == ${apart}[0]['id']
                      for e in d['graph']['edges'])"
done
json x.json "${apart}[0]['only_a'] == 0 < ${apart}[0]['only_b']"
json o.json "${apart}[0]['only_b'] == 0 < ${apart}[0]['only_a']"
json d.json "${apart}[0]['only_a'] > 0 < ${apart}[0]['only_b']"
# A wild write: both runs executed both, and the address of the one that wrote elsewhere is followed.
json w.json "${apart}[0]['only_a'] == 0 == ${apart}[0]['only_b'] and $decided == []"
json w.json "any(e.get('address') and e['from'] == ${apart}[0]['id'] for e in d['graph']['edges'])"

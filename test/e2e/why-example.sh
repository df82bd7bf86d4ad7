# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The example: a title that is too long overwrites the number of columns, in words of the source.
needs_recorder
cp "$TWINRUN_SOURCE"/examples/csvsum/* .
cc -g -O0 -o csvsum csvsum.c
# Both runs are recorded by the way; what they print goes to standard error.
status 1 twinrun why './csvsum good.csv' './csvsum bad.csv' >out 2>err
has err "Sales of the third quarter" "recorded ./csvsum bad.csv as csvsum-2"
has out "They differ because bad.csv, line 2, column 32 has" "where good.csv has the end of the line"
[[ $(head -n 1 out) == "B writes beyond the end of h->title (32 bytes), at csvsum.c:13 in strcpy; h->ncols is 67 in B, 4 in A" ]] ||
  fail "another headline"
tells out "D1  exit status  0 | 1" "h->ncols = 4 | 67" "D2  only B writes h->ncols" \
  "<-- first wrong state" "A  csvsum.c:23  h->ncols++;" "B  csvsum.c:13  strcpy(h->title, s);" \
  "csvsum.c:24  if (!fgets(line, size, in)) return;" "D3  input by read()"
(($(wc -l <out) <= 45)) || fail "more than 45 lines"
status 1 twinrun why --json @1 @ >json
json json 'd["schema"] == "twinrun.why.v1" and d["result"] == "different" and d["target"]["kind"] == "exit"'
json json 'any(n["kind"] == "input" and n["input_b"]["input"] == "bad.csv" for n in d["graph"]["nodes"])'
json json 'any(s.get("line") == 13 and s["file"].endswith("csvsum.c") for s in d["statements"])'
json json 'any(e.get("name") == "h->ncols" and (e["value_a"], e["value_b"]) == ("4", "67") for e in d["graph"]["edges"])'
status 1 twinrun why --dot @1 @ >graph.dot
has graph.dot "digraph why" "h->ncols" "bad.csv"
status 1 twinrun why --all csvsum-1 csvsum-2 >all
has all "S0 " "csvsum.c:13  strcpy(h->title, s);" " <- S"
(($(grep -c 'csvsum.c:13 ' <(tail -n "+$(($(wc -l <out) + 1))" all)) == 1)) || fail "a line is told twice"
# The same pair, the same bytes.
head -n "$(wc -l <out)" all >again
same out again

# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A way that is too long to be told: --json has what the text leaves out, and the numbers of lines are those of what
# there is.
needs_recorder
{
  printf '#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n  int v0 = atoi(argv[1]);\n'
  for i in {1..40}; do printf '  int v%d = v%d * 3 + %d;\n' "$i" $((i - 1)) "$i"; done
  printf '  printf("%%d\\n", v40);\n}\n'
} >long.c
cc -g -O0 -o long long.c
status 1 twinrun why './long 1' './long 2' >out 2>log
tells out "lines between: --all"
status 1 twinrun why --json @1 @ >json
json json 'sum(len(line.get("left_out", [])) for line in d["answer"]) > 5'
json json 'all("(%d lines between" % len(line["left_out"]) in line["text"] for line in d["answer"] if "left_out" in line)'
# Told or left out, each line of the program stands there once.
json json '(lambda told: all(told.count("long.c:%d" % n) == 1 for n in range(5, 45)))([one.get("place") for line in d["answer"] if "aside" not in line for one in (*line.get("left_out", []), line)])'
json json 'not any("left_out" in one or one["id"] for line in d["answer"] for one in line.get("left_out", []))'
json json 'd["basic_statements"] == sum(s["basic"] for s in d["statements"])'
# The parts of a line are those of its text.
json json 'all(line[part] in line["text"] for line in d["answer"] for part in ("place", "source", "remark") if part in line)'
# What helped is not what differs.
printf 'pear 7\nplum 30\n' >low.txt
printf 'pear 7\nplum 300\n' >high.txt
# shellcheck disable=SC2016 # for the script
printf 'sort "$1" | while read -r n c; do if [ "$c" -gt 100 ]; then echo "too many"; exit 4; fi; done\n' >sums.sh
# Whether anything helps depends on which of the processes of the pipeline was first.
for _ in {1..8}; do
  status 1 twinrun why 'sh sums.sh low.txt' 'sh sums.sh high.txt' >out 2>log
  status 1 twinrun why --json @1 @ >json
  helped=$(sed -n 's/.*The graph has [0-9]* lines; \([0-9]*\) more helped to compute what differs (--all).*/\1/p' out)
  [[ -z $helped ]] || break
done
[[ -n $helped ]] || fail "nothing helped"
json json "len(d['statements']) + d['statements_left_out'] - d['basic_statements'] == $helped"

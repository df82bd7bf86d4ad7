# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Each view of a recording, its ranges and its JSON.
needs_recorder
cat >prog.c <<'C'
#include <unistd.h>
__attribute__((noinline)) void inner(void) { __asm__ volatile("nop"); }
__attribute__((noinline)) void outer(void) { inner(); inner(); __asm__ volatile("nop"); }
int main(void) {
  outer();
  return write(1, "hello\n", 6) != 6;
}
C
cc -O1 -o prog prog.c
twinrun record -o run -- ./prog >/dev/null
total=$(twinrun info --json run | python3 -c 'import json, sys; print(json.load(sys.stdin)["instructions"])')
[[ $(twinrun dump run | wc -l) == "$total" ]]
twinrun dump --range 100..+7 run >part
twinrun dump run | sed -n '101,107p' >expected
same part expected
twinrun dump --functions run | grep -E 'outer|inner' | sed 's/^ *[0-9]* *//' >calls
printf '%s\n' '-> outer (prog)' '-> inner (prog)' '<- inner (prog)' '-> inner (prog)' '<- inner (prog)' \
  '<- outer (prog)' >expected
same calls expected
twinrun dump --syscalls run >out
has out 'write(1, "hello\n", 6) = 6' 'exit_group(0)'
twinrun dump --syscalls --data run >out
has out '68 65 6c 6c 6f 0a'
twinrun dump --events run >out
has out "thread_start" "map " "initial_stack"
twinrun dump --ir --limit 2 run >out 2>err
has out "-- instruction" "goto"
has err "stopped at the limit of 2"
twinrun dump --blocks --json run >rows
python3 - "$total" <<'P'
import json, sys
rows = [json.loads(line) for line in open("rows")]
assert rows[0]["schema"] == "twinrun.dump.v1"
assert sum(r["instructions"] for r in rows[1:]) == int(sys.argv[1])
P
status 2 twinrun dump --range 99999999999..+1 run 2>err
has err "T008"
status 2 twinrun dump --blocks --ir run 2>err
has err "C008"

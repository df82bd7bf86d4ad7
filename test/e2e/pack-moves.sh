# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A packed recording keeps its function names when the program is gone; what is missing is said.
needs_recorder
echo 'int main(void) { return 0; }' >prog.c
cc -o prog prog.c
twinrun record --no-binaries -o run.twin -- ./prog
cp run.twin other.twin
twinrun pack run.twin >out || true
has out "packed "
twinrun verify run.twin >out
has out "run.twin: ok"
rm prog
twinrun info --functions --all run.twin >out
has out "main "
twinrun info --json run.twin >info.json
json info.json 'd["packed"] and any(m["path"].endswith("/prog") and m["packed"] for m in d["modules"])'
status 1 twinrun pack other.twin -o copy.twin >out
has out "missing" "/prog"
twinrun verify other.twin >/dev/null
twinrun verify copy.twin >/dev/null
# A program with the same name and another build id is not taken for the recorded one.
echo 'int other(void) { return 7; } int main(void) { return other(); }' >prog.c
cc -o prog prog.c
status 1 twinrun pack other.twin -o copy2.twin >out
has out "changed since it was recorded"

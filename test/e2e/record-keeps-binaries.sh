# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The program is built anew between two runs: the old recording still knows its names and lines, and its libraries'.
needs_recorder
cat >lib.c <<'C'
int in_library(int value) { return value + 1; }
C
cat >prog.c <<'C'
#include <stdlib.h>
int in_library(int);
int in_program(int value) { return in_library(value) * 2; }
int main(int count, char **words) { return in_program(atoi(words[1])) == 4 ? 0 : count; }
C
cc -g -shared -fPIC -o libown.so lib.c
cc -g -o prog prog.c ./libown.so
twinrun record -q -o old.twin -- ./prog 1
status 2 twinrun record -q -o new.twin -- ./prog 2
twinrun record -q --no-binaries -o without.twin -- ./prog 1
twinrun info --json old.twin >info.json
json info.json 'sorted(m["path"].rsplit("/", 1)[1] for m in d["modules"] if m["packed"]) == ["libown.so", "prog"]'
twinrun info --json without.twin >info.json
json info.json 'not any(m["packed"] for m in d["modules"])'

echo 'int other(void) { return 3; } int main(void) { return other(); }' >prog.c
cc -g -o prog prog.c
rm libown.so
twinrun info --functions --all old.twin >out
has out "in_program" "in_library"
twinrun info --functions --all without.twin >out
lacks out "in_program" "in_library"
status 1 twinrun why old.twin new.twin >out 2>log
has out "prog.c:4"
twinrun verify old.twin >/dev/null

# Where there is no room, the recording is what counts.
cc -g -shared -fPIC -o libown.so lib.c
head -c 3000000 /dev/urandom >noise
objcopy --add-section .noise=noise prog large
status 3 twinrun record -q --max-size 2M -o small.twin -- ./large
twinrun info --json small.twin >info.json
json info.json 'd["stop"] == "complete" and not any(m["packed"] for m in d["modules"])'

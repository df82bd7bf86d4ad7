# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A good recording is ok, a cut one is a prefix and ok, a damaged one has violations.
needs_recorder
twinrun record -o run.twin -- sh -c 'echo a | cat; exit 3' >/dev/null || true
twinrun verify run.twin >out
has out "run.twin: ok"
size=$(stat -c %s run.twin)
head -c $((size * 2 / 3)) run.twin >cut.twin
twinrun verify cut.twin >out
has out "cut.twin: ok" "it is a prefix"
twinrun info cut.twin >out
has out "a prefix"
python3 - "$size" <<'P'
import sys
data = bytearray(open("run.twin", "rb").read())
data[int(sys.argv[1]) // 2] ^= 4
open("flipped.twin", "wb").write(data)
P
status 1 twinrun verify flipped.twin >out
has out "violation"
status 1 twinrun verify --json flipped.twin >out.json
json out.json 'not d["ok"] and d["violations"]'

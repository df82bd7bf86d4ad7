# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# An empty store, names, shorthands, and how many are hidden.
twinrun ls >out
has out "no recordings in $XDG_DATA_HOME/twinrun" "next:  twinrun record"
twinrun ls --json >out.json
json out.json 'd["schema"] == "twinrun.ls.v1" and d["recordings"] == []'
mkdir -p "$XDG_DATA_HOME/twinrun"
for i in $(seq 1 23); do
  touch -d "2020-01-01 00:00:$(printf %02d "$i")" "$XDG_DATA_HOME/twinrun/run-$i.twin"
done
touch "$XDG_DATA_HOME/twinrun/half.twin.partial" "$XDG_DATA_HOME/twinrun/notes.txt"
twinrun ls >out
[[ $(wc -l <out) == 22 ]]
has out "4 more: --all"
twinrun ls --all >out
[[ $(wc -l <out) == 25 ]]
[[ $(twinrun ls --names | head -n 2 | tr '\n' ' ') == "half run-23 " ]]
twinrun ls --json >out.json
json out.json 'len(d["recordings"]) == 24'
json out.json '[r["shorthand"] for r in d["recordings"]][:2] == ["@", "@1"]'

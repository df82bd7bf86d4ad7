# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Every verb is listed, explains itself in two ways, and needs no store.
twinrun --help >overview
twinrun help >overview2
same overview overview2
twinrun help --json >help.json
json help.json 'd["schema"] == "twinrun.help.v1"'
verbs=$(python3 -c 'import json; print(*[v["name"] for v in json.load(open("help.json"))["verbs"]])')
[[ $verbs == record* ]]
for verb in $verbs; do
  has overview "  $verb "
  twinrun help "$verb" >a
  twinrun "$verb" --help >b
  twinrun "$verb" -h >c
  same a b
  same a c
  has a "usage: twinrun $verb" "--help"
done
[[ ! -e $XDG_DATA_HOME ]]

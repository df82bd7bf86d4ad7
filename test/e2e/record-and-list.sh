# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The program's output and status are its own; ls shows what was recorded.
needs_recorder
status 3 twinrun record -o three -- sh -c 'echo out; echo err >&2; exit 3' >out 2>err
[[ $(cat out) == out ]]
grep -vx 'twinrun: .*' err >err.program
[[ $(cat err.program) == err ]]
status 0 twinrun record -q --json sum.json true
json sum.json 'd["schema"] == "twinrun.record.v1" and d["name"] == "true-1" and d["exit_status"] == 0'
json sum.json 'd["instructions"] > 1000 and d["complete"] and d["command"] == ["true"]'
twinrun ls --json >ls.json
json ls.json '[r["name"] for r in d["recordings"]] == ["true-1", "three"]'
json ls.json 'd["recordings"][1]["exit_status"] == 3 and d["recordings"][1]["command"][0] == "sh"'
json ls.json 'all(r["state"] == "complete" for r in d["recordings"])'
twinrun ls >ls.txt
has ls.txt "true-1" "@1" "sh -c 'echo out"
# A name is not taken twice, unless asked for.
status 125 twinrun record -o three true 2>err
has err "twinrun: error[R017]" "--force"
status 0 twinrun record -q --force -o three true
twinrun ls --json >ls.json
json ls.json 'd["recordings"][0]["name"] == "three" and d["recordings"][0]["exit_status"] == 0'

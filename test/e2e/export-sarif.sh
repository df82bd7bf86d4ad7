# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The answer as SARIF, the graph as `why` prints it, and what export refuses.
needs_recorder
cat >"a prog.c" <<'C'
int main(int argc, char **argv) {
  int n = argv[argc - 1][0] - '0';
  if (n > 4) return 3;
  return 0;
}
C
# A small C library: the system's takes most of the time to look at.
musl-gcc -g -O0 -static -o prog "a prog.c"
twinrun record -q -o good -- ./prog 4
status 3 twinrun record -q -o bad -- ./prog 7
twinrun export good bad --format sarif -o why.sarif >out
[[ $(<out) == why.sarif && $(stat -c %a why.sarif) == 600 ]]
python3 - <<'EOF'
import json, os
d = json.load(open("why.sarif"))
assert d["version"] == "2.1.0" and d["$schema"].endswith("sarif-schema-2.1.0.json") and len(d["runs"]) == 1
run = d["runs"][0]
driver = run["tool"]["driver"]
assert driver["name"] == "twinrun" and all(set(r) >= {"id", "shortDescription"} for r in driver["rules"])
[result] = run["results"]
assert result["level"] == "error" and driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "exit-status"
assert "A: 0  B: 3" in result["message"]["text"] and "argv[1]" in result["message"]["text"]
# From the root of the repository on, which is the working directory where there is none.
assert {"location": {"uri": "a%20prog.c", "uriBaseId": "SRCROOT"}} in run["artifacts"]
assert run["originalUriBaseIds"]["SRCROOT"]["uri"] == "file://" + os.getcwd() + "/"
[flow] = result["codeFlows"]
[thread] = flow["threadFlows"]
locations = thread["locations"]
assert [l["executionOrder"] for l in locations] == list(range(1, len(locations) + 1))
texts = [l["location"]["message"]["text"] for l in locations]
# From the input to the target, with both values.
assert "input" in texts[0] and texts[-1].startswith("D1  exit status"), texts
assert any("n = 4 | 7" in t for t in texts), texts
for l in [l["location"] for l in locations] + result["locations"]:
    place = l["physicalLocation"]
    at = place["artifactLocation"]
    assert run["artifacts"][at["index"]]["location"]["uri"] == at["uri"] and place["region"]["startLine"] >= 1
assert result["locations"][0]["physicalLocation"]["region"]["startLine"] in (3, 4)
EOF
status 1 twinrun why --json good bad >why.json
twinrun export good bad --format json >export.json
same why.json export.json
twinrun export good bad --format dot >export.dot
has export.dot "digraph why {" "N0 -> N1"

cp why.sarif first.sarif
status 2 twinrun export good bad --format sarif -o why.sarif 2>err
has err "error[S009]" "--force"
same why.sarif first.sarif
twinrun export good good --format sarif -o why.sarif --force >/dev/null
json why.sarif 'd["runs"][0]["results"] == []'
status 2 twinrun export good bad --format sarif -o none/x.sarif 2>err
has err "error[S010]"
status 2 twinrun export good --format sarif 2>err
has err "error[C004]" "needs two recordings" "twinrun export A B --format sarif"
status 2 twinrun export good --format foldde 2>err
has err "error[C003]" "did you mean 'folded'?"
status 2 twinrun export good 2>err
has err "error[C004]" "dot, json, folded, perfetto, sarif"
[[ $(echo ./*.sarif*) == "./first.sarif ./why.sarif" ]]

# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2016,SC2094
# The answer as other tools read it: each form is what it says it is, ends with the status of the text, and nothing in
# the program's names can get out of it.
needs_recorder
mkdir -p repo/.git repo/src repo/run
cat >"repo/src/a, b%.c" <<'C'
#include <stdlib.h>
#include <string.h>
struct item { char name[20]; int count; };
static void take(struct item *it, const char *text) {
  strcpy(it->name, text);
}
int main(int argc, char **argv) {
  struct item it = {"", 1};
  take(&it, argv[argc - 1]);
  if (it.count != 1) /* ]]> & `x` | y */ return 3;
  return 0;
}
C
cc -g -O0 -w -o repo/run/prog "repo/src/a, b%.c"
cd repo/run || exit
good=(./prog 'ok|`')
bad=(./prog $'24 byte\n::error::]]>\e&%')
twinrun record -q -o ./good.twin -- "${good[@]}"
status 3 twinrun record -q -o ./bad.twin -- "${bad[@]}"
for format in text json markdown github junit sarif; do
  status 1 twinrun why --format "$format" ./good.twin ./bad.twin >"$format"
  status 0 twinrun why --format "$format" ./good.twin ./good.twin >"$format.same"
  status 2 twinrun why --format "$format" ./good.twin ./none.twin >"$format.trouble" 2>/dev/null
done
status 1 twinrun why ./good.twin ./bad.twin >plain
same plain text
status 1 twinrun why --json ./good.twin ./bad.twin >plain
same plain json
json json.trouble 'd["schema"] == "twinrun.error.v1"'
[[ ! -s text.trouble && ! -s sarif.trouble ]] || fail "trouble is an answer"
headline=$(head -n 1 text)
[[ $headline == *"at a, b%.c:5 in strcpy"* ]] || fail "another headline: $headline"

# One line a command, the first one at what the headline is about, seen from the top of the repository.
[[ $(grep -cv '^::\(error\|notice\) ' github) == 0 && $(grep -c '^::error ' github) == 1 ]] || fail "no commands"
head -n 1 github >first
has first "::error file=src/a%2C b%25.c,line=5,title=twinrun why%3A the runs differ::" \
  "at a, b%25.c:5 in strcpy" "%0AA  " "%0AB  "
has github "::notice file=src/a%2C b%25.c,line=10,title=twinrun why"
not grep -q $'[\e\r]' github
[[ $(sed -n 's/^::notice file=\([^,]*,line=[0-9]*\),.*/\1/p' github | sort | uniq -d) == "" ]] || fail "a line is told twice"
[[ $(<github.same) == "::notice title=twinrun why%3A the runs do not differ::"* ]] || fail "same runs are none"

cat >check.py <<'EOF'
import sys, xml.etree.ElementTree as xml
root = xml.parse("junit").getroot()
[suite] = root
[case] = suite
assert (root.tag, suite.tag, case.tag) == ("testsuites", "testsuite", "testcase")
assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("1", "1", "0")
[failure] = case
assert failure.tag == "failure" and failure.get("message") == sys.argv[1], failure.get("message")
assert failure.text == open("text").read()
assert "]]>" in failure.text and case.get("name").startswith("./prog") and " | ./prog" in case.get("name")
[suite] = xml.parse("junit.same").getroot()
[case] = suite
assert suite.get("failures") == "0" and [e.tag for e in case] == ["system-out"]
EOF
python3 check.py "$headline"

# The file of the headline, from the root on; every step has a line; what is referred to is declared.
jq -e '.runs[0] as $run | $run.results[0] as $result | $result.locations[0].physicalLocation as $at
  | $at.artifactLocation.uri == "src/a,%20b%25.c" and $at.region.startLine == 5
  and $run.originalUriBaseIds[$at.artifactLocation.uriBaseId].uri == $root' \
  --arg root "file://$(cd .. && pwd -P)/" sarif >/dev/null || fail "the result is elsewhere"
# What the standard and code scanning of GitHub require.
jq -e '.version == "2.1.0" and (.runs[0] as $run
  | ($run.tool.driver | (.name | length > 0) and (.rules | all(.id and .shortDescription.text and .fullDescription.text
      and .help.text)))
  and ($run.results | length == 1 and all(.ruleId == $run.tool.driver.rules[.ruleIndex].id
      and (.level | IN("error", "warning", "note")) and (.message.text | length > 0) and (.locations | length > 0)))
  and ([$run.results[] | .locations[], .relatedLocations[]?, .codeFlows[].threadFlows[].locations[].location]
    | length > 3 and all(.physicalLocation | .region.startLine >= 1 and (.artifactLocation
      | (.uri | length > 0) and (.uriBaseId == null or $run.originalUriBaseIds[.uriBaseId])
      and (.index == null or $run.artifacts[.index].location.uri == .uri)))))' sarif >/dev/null ||
  fail "code scanning would not take it"
jq -e '.runs[0].results == []' sarif.same >/dev/null
twinrun export ./good.twin ./bad.twin --format sarif >exported
same exported sarif

# All that comes from the program is code, below a heading; rows have as many columns as their table.
head -n 1 markdown >first
has first '### ' 'at a, `b%.c:5` in strcpy'
has markdown '| A | `' '**From the difference back to the input**' '| D1 |' '**first wrong state**'
awk -F '|' '/^\|/ { gsub(/\\\|/, ""); if (columns && NF != columns) exit 1; columns = NF; rows++; next } { columns = 0 }
  END { exit rows < 6 }' markdown || fail "a row has another number of columns"
not grep -q $'\e' markdown
has markdown.same "### "

# What cannot be asked for.
status 2 twinrun why --format xml ./good.twin ./bad.twin 2>err
has err "error[C003]" "xml"
status 2 twinrun why --format junit --json ./good.twin ./bad.twin 2>err
has err "error[C008]"
status 2 twinrun why --format text --dot ./good.twin ./bad.twin 2>err
has err "error[C008]"
status 1 twinrun why --format json --json ./good.twin ./bad.twin >plain
same plain json
# Without a repository, files are named from the working directory on.
rm -r ../.git
cd ..
status 1 twinrun why --format github run/good.twin run/bad.twin >github
has github "::error file=src/a%2C b%25.c,line=5,"
cd run || exit
status 1 twinrun why --format github ./good.twin ./bad.twin >github
[[ $(<github) == "::error title="* ]] || fail "a file is named that is elsewhere"

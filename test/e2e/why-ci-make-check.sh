# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What docs/ci.md says of make check holds: the job fails by its test, and tells why.
needs_recorder
for tool in autoreconf automake; do command -v "$tool" >/dev/null || skip "no $tool"; done
cp "$TWINRUN_SOURCE"/examples/csvsum/* .
export GITHUB_STEP_SUMMARY=$PWD/summary
status 1 python3 "$TWINRUN_SOURCE/test/e2e/follow_page.py" "$TWINRUN_SOURCE/docs/ci.md" "make check" >log 2>&1
# The last command is the one that fails, because a test did.
[[ $(tail -n 1 log) == "== ended with 1" && $(tail -n 2 log | head -n 1) == "== test ! -e failed" ]] || {
  cat log >&2
  fail "a step failed"
}
has summary "### B writes beyond the end of \`h->title\`" "| D1 |  |  | exit status |  | \`0\` | \`1\` |"
json why.sarif 'd["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] == 13'

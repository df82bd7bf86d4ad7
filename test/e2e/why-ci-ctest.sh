# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What docs/ci.md says of CTest holds: the job fails by its test, and tells why.
needs_recorder
for tool in ctest jq; do command -v "$tool" >/dev/null || skip "no $tool"; done
cp "$TWINRUN_SOURCE"/examples/csvsum/* .
export GITHUB_STEP_SUMMARY=$PWD/summary
status 1 python3 "$TWINRUN_SOURCE/test/e2e/follow_page.py" "$TWINRUN_SOURCE/docs/ci.md" "CTest" >log 2>&1
# The last command is the one that fails, because a test did.
[[ $(tail -n 1 log) == "== ended with 1" && $(tail -n 2 log | head -n 1) == "== test ! -e failed" ]] || {
  cat log >&2
  fail "a step failed"
}
has summary "### B writes beyond the end of \`h->title\`" "| D1 |  |  | exit status |  | \`0\` | \`1\` |"
has log "::error file=csvsum.c,line=13,"
# Where CTest runs it, in its environment, and nothing around it.
has summary "/build/csvsum good.csv\`"
TZ=GMT twinrun record -q -o ./other.twin -- build/csvsum good.csv
twinrun why --json build/recorded/good.twin ./other.twin >json || true
json json 'any("TZ" in str(i) and "UTC" in str(i) and "GMT" in str(i) for i in d["inputs"])'

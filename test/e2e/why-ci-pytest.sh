# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What docs/ci.md says of pytest holds: the job fails by its test, and tells why.
needs_recorder
# The one that Debian's pytest belongs to.
PATH=$(dirname "$TWINRUN"):/usr/bin:$PATH
python3 -c "import pytest" 2>/dev/null || skip "no pytest"
cp "$TWINRUN_SOURCE"/examples/csvsum/* .
export GITHUB_STEP_SUMMARY=$PWD/summary
status 1 python3 "$TWINRUN_SOURCE/test/e2e/follow_page.py" "$TWINRUN_SOURCE/docs/ci.md" "pytest" >log 2>&1
# The last command is the one that fails, because a test did.
[[ $(tail -n 1 log) == "== ended with 1" && $(tail -n 2 log | head -n 1) == "== test ! -e failed" ]] || {
  cat log >&2
  fail "a step failed"
}
has summary "### B writes beyond the end of \`h->title\`" "| D1 |  |  | exit status |  | \`0\` | \`1\` |"
failures=$(python3 -c "import xml.etree.ElementTree as x; print(x.parse(\"why.xml\").getroot()[0].get(\"failures\"))")
[[ $failures == 1 ]] || fail "no failure in why.xml"

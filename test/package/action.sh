#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# action.sh SOURCE OUT: the action of .github/actions/twinrun-why installs the tarball and tells in the summary why two
# runs differ; it fails when it is told to or cannot tell.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
source=$1 out=$2
here=$(realpath "$(dirname "$0")")
work=$(mktemp -d "${TMPDIR:-/tmp}/twinrun-action.XXXXXX")
trap 'rm -rf "$work"' EXIT
export XDG_DATA_HOME=$work/data XDG_CACHE_HOME=$work/cache
mkdir "$work/project"
cd "$work/project"
package=$(echo "$out"/twinrun-*.tar.gz)

# act STATUS INPUT...: the action ends so.
act() {
  local wanted=$1 status=0
  shift
  rm -rf "$work/temp dir"
  mkdir "$work/temp dir"
  # No twinrun but the one that the action installs.
  env PATH=/usr/bin:/bin SERVER="file://$work/server" ruby "$here/run_action.rb" "$source/.github/actions/twinrun-why" "$work/temp dir" "$@" \
    >"$work/log" 2>&1 || status=$?
  [[ $status == "$wanted" ]] || { cat "$work/log" >&2; fail "exit status $status instead of $wanted: $*"; }
}

# says FILE TEXT...
says() {
  local file=$1 text
  shift
  for text; do
    grep -qF -- "$text" "$file" || { cat "$file" >&2; fail "'$text' is not in $file"; }
  done
}
summary="$work/temp dir/GITHUB_STEP_SUMMARY"

act 0 "package=$package" 'a=ls /etc/passwd' 'b=ls /etc/no-such-file'
says "$work/log" "this machine can record" "different=true" "D1  exit status"
says "$summary" "## twinrun: Why the runs differ" "| B | \`ls /etc/no-such-file\` | exit 2 |" '```text' \
  "D1  exit status " "no-such-file"
says "$(sed -n 's/^answer=//p' "$work/log")" "D1  exit status"
says "$(sed -n 's/^markdown=//p' "$work/log")" "| D1 |  |  | exit status |  | \`0\` | \`2\` |"
jq -e '.runs[0].results | length == 1' "$(sed -n 's/^sarif=//p' "$work/log")" >/dev/null || fail "no result in SARIF"
# A warning and no error while the step goes on.
grep -q '^::warning title=twinrun why' "$work/log" || fail "nothing is shown beside the source"
! grep -q '^::error ' "$work/log" || fail "an error of a step that goes on"

act 1 "package=$package" 'a=ls /etc/passwd' 'b=ls /etc/no-such-file' fail-on-difference=true
says "$summary" "D1  exit status"
says "$work/log" "::error::twinrun-why: the runs differ" "::error title=twinrun why"

act 0 "package=$package" 'a=ls /etc/passwd' 'b=ls /etc/no-such-file' annotations=false
! grep -qE '^::(error|warning|notice) ' "$work/log" || fail "annotations that nobody wants"

# A file of the project is shown from its top level on, wherever the program runs.
mkdir -p program/.git program/src program/run
printf 'int main(int argc, char **argv) {\n  (void)argv;\n  if (argc > 2)\n    return 3;\n  return 0;\n}\n' >program/src/a.c
cc -g -O0 -o program/run/prog program/src/a.c
act 0 "package=$package" 'a=./prog x' 'b=./prog x y' working-directory=program/run
says "$work/log" "::warning file=src/a.c,line="

act 0 "package=$package" 'a=cat /etc/passwd' 'b=cat /etc/passwd' fail-on-difference=true
says "$work/log" "different=false"
says "$summary" "The runs do not differ"

# Recordings of another directory, and flags; a name with backquotes does not end the block.
mkdir sub
(cd sub && "$work/temp dir/twinrun/bin/twinrun" record -q -o ./x.twin -- ls '```' 2>/dev/null) || true
(cd sub && "$work/temp dir/twinrun/bin/twinrun" record -q -o ./y.twin -- ls '````no' 2>/dev/null) || true
act 0 "package=$package" a=./x.twin b=./y.twin working-directory=sub 'flags=--wrong 2:17 --all'
says "$summary" '`````text' '````no'

# What a program prints is no command for the runner.
act 0 "package=$package" 'a=echo ::error::x' 'b=echo ::error::y'
awk '/^::stop-commands::/ { token = substr($0, 18) } /^::error::/ { if (token == "") bad = 1; seen = 1 }
  token != "" && $0 == "::" token "::" { token = "" } END { exit bad || !seen }' "$work/log" ||
  fail "the output of a program can command the runner"

act 2 a=x b=y
says "$work/log" "::error::twinrun-why: there is no twinrun in PATH"
act 2 "package=$package" a=no-such-recording b=neither-this
says "$work/log" "::error::twinrun-why: the runs could not be compared"
act 2 package=/no/such/file.tar.gz a=x b=y
says "$work/log" "there is no file /no/such/file.tar.gz"
act 2 'version=1/../../x' a=x b=y
says "$work/log" "this is no version of twinrun"

# A release, from a server that is a directory.
version=$(basename "$package" -x86_64-linux.tar.gz)
version=${version#twinrun-}
act 2 "version=$version" a=x b=y
says "$work/log" "::error::twinrun-why: cannot download file://"
mkdir -p "$work/server/owner/twinrun/releases/download/v$version"
cp "$package" "$work/server/owner/twinrun/releases/download/v$version"
act 0 "version=$version" 'a=echo x' 'b=echo x'
says "$work/log" "different=false"

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compares RUN_A and RUN_B; the answer goes into the log, into the job summary and into a file.
set -euo pipefail
answer=$(mktemp "$RUNNER_TEMP/twinrun-why.XXXXXX")
read -ra flags <<<"$FLAGS"

# What programs print, and names in the answer, are no commands for the runner.
token=twinrun-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$token"
status=0
(cd "$DIRECTORY" && twinrun why "${flags[@]}" "$RUN_A" "$RUN_B") >"$answer" || status=$?
cat "$answer"
echo "::$token::"

case $status in
  0) different=false title="The runs do not differ" ;;
  1) different=true title="Why the runs differ" ;;
  *)
    echo "::error::twinrun-why: the runs could not be compared (exit status $status); the log tells why"
    exit "$status"
    ;;
esac
{
  echo "different=$different"
  echo "answer=$answer"
} >>"$GITHUB_OUTPUT"

# A fence that is longer than any in the answer. A summary of more than 1 MiB would be refused.
fence='```'
while grep -qF "$fence" "$answer"; do
  fence+='`'
done
{
  echo "### twinrun: $title"
  echo
  echo "${fence}text"
  head -c 500000 "$answer"
  (($(stat -c %s "$answer") <= 500000)) || printf '\n... cut here: the whole answer is in the log\n'
  echo "$fence"
} >>"$GITHUB_STEP_SUMMARY"
[[ $different == false || $FAIL_ON_DIFFERENCE != true ]] || {
  echo "::error::twinrun-why: the runs differ; the job summary tells why"
  exit 1
}

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compares RUN_A and RUN_B; the answer goes into the log, beside the source, into the job summary and into files.
set -euo pipefail
directory=$(mktemp -d "$RUNNER_TEMP/twinrun-why.XXXXXX")
answer=$directory/answer.txt
read -ra flags <<<"$FLAGS"
why() { (cd "$DIRECTORY" && twinrun why "${flags[@]}" "$@"); }

# What programs print, and names in the answer, are no commands for the runner.
token=twinrun-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$token"
status=0
why --format json "$RUN_A" "$RUN_B" >"$directory/answer.json" || status=$?
if ((status < 2)); then
  # Commands were recorded by that. The other forms are of the recordings; the answer about them is kept.
  recordings=()
  for side in a b; do
    recordings+=("$(jq --raw-output ".$side.recording" "$directory/answer.json")")
  done
  for form in text:txt github:log markdown:md sarif:sarif; do
    why --format "${form%:*}" "${recordings[@]}" >"$directory/answer.${form#*:}" || (($? == status)) || status=2
  done
  cat "$answer"
fi
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
  echo "markdown=$directory/answer.md"
  echo "sarif=$directory/answer.sarif"
} >>"$GITHUB_OUTPUT"

# Beside the source. Of a step that goes on there are no errors.
if [[ $ANNOTATIONS == true ]]; then
  if [[ $FAIL_ON_DIFFERENCE == true ]]; then
    cat "$directory/answer.log"
  else
    sed 's/^::error /::warning /' "$directory/answer.log"
  fi
fi

# A fence that is longer than any in the answer. A summary of more than 1 MiB would be refused.
fence='```'
while grep -qF "$fence" "$answer"; do
  fence+='`'
done
{
  echo "## twinrun: $title"
  echo
  cat "$directory/answer.md"
  printf '\n<details><summary>The answer as text</summary>\n\n'
  echo "${fence}text"
  head -c 500000 "$answer"
  (($(stat -c %s "$answer") <= 500000)) || printf '\n... cut here: the whole answer is in the log\n'
  echo "$fence"
  printf '\n</details>\n'
} >>"$GITHUB_STEP_SUMMARY"
[[ $different == false || $FAIL_ON_DIFFERENCE != true ]] || {
  echo "::error::twinrun-why: the runs differ; the job summary tells why"
  exit 1
}

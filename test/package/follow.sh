# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# follow.sh DIRECTORY FILE [BECOME...]: executes the command lines of the file, in the system of a test. "# " in front:
# by root; "$ ": by an ordinary user, which the words BECOME make of root. Exit statuses are those that the programs
# are meant to have.
directory=$1 file=$2
shift 2
while IFS= read -r line <&3; do
  echo "== $line"
  wanted=0
  case $line in
    *"twinrun record"*no-such-file) wanted=2 ;;
    *"twinrun why"*) wanted=1 ;;
  esac
  status=0
  case $line in
    "# "*) (cd "$directory" && HOME=/root bash -euo pipefail -c "${line:2}") || status=$? ;;
    "$ "*) (cd "$directory" && HOME=/home/user "$@" bash -euo pipefail -c "${line:2}") || status=$? ;;
    *) status=no-prompt ;;
  esac
  [[ $status == "$wanted" ]] || {
    echo "FAILED: exit status $status instead of $wanted"
    exit 1
  }
done 3<"$file"

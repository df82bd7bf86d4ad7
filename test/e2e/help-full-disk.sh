# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Output that does not arrive is trouble, not success.
[[ -w /dev/full ]] || skip "no /dev/full"
for command in --help --version 'help ls' 'ls --json' 'completion bash'; do
  # shellcheck disable=SC2086
  status 2 twinrun $command 2>err >/dev/full
  has err "error[C006]"
done

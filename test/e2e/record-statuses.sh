# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Signals give 128 + N; a program that cannot run gives 126 or 127, as with env(1).
needs_recorder
status 137 twinrun record -q -- sh -c 'kill -9 $$'
status 143 twinrun record -q -- sh -c 'kill -15 $$'
status 127 twinrun record no-such-program-here 2>err
has err "twinrun: error[R127]"
status 127 twinrun record ./no-such-file 2>err
echo text >file
status 126 twinrun record ./file 2>err
has err "twinrun: error[R126]"
status 126 twinrun record / 2>err
twinrun ls --names >names
[[ $(sort names | tr '\n' ' ') == "sh-1 sh-2 " ]] || fail "unexpected recordings: $(cat names)"

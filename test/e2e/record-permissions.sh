# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Recordings hold secrets: 0600 even under umask 000, also while they are being written.
needs_recorder
umask 000
twinrun record -o t.twin -- sh -c 'stat -c %a t.twin.partial' >out
[[ $(cat out) == 600 ]] || fail "mode while recording: $(cat out)"
[[ $(stat -c %a t.twin) == 600 ]] || fail "mode: $(stat -c %a t.twin)"
twinrun record -o named -- true
find "$XDG_DATA_HOME" -name 'named.twin' -perm 600 | grep -q .
[[ $(stat -c %a "$XDG_DATA_HOME/twinrun") == 700 ]] || fail "mode of the store: $(stat -c %a "$XDG_DATA_HOME/twinrun")"
# The program's own umask is untouched.
twinrun record --force -o t.twin -- sh -c 'umask; touch made; stat -c %a made' >out
printf '0000\n666\n' | cmp - out

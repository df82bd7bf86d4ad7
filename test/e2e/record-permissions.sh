# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Recordings hold secrets: for their owner only, whatever the umask.
needs_recorder
umask 000
twinrun record -q -o secret true
twinrun record -q -o ./here.twin true
[[ $(stat -c %a "$XDG_DATA_HOME/twinrun") == 700 ]]
[[ $(stat -c %a "$XDG_DATA_HOME/twinrun/secret.twin") == 600 ]]
[[ $(stat -c %a here.twin) == 600 ]]
[[ $(find . "$XDG_DATA_HOME" -type f | sort | tr '\n' ' ') == "./here.twin $XDG_DATA_HOME/twinrun/secret.twin " ]]

# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Trouble of record itself is 125; the program's words are not ours to check.
status 125 twinrun record 2>err
has err "twinrun: error[C004]"
status 125 twinrun record --wait soon true 2>err
has err "error[C003]" "'soon'"
status 125 twinrun record --max-size many true 2>err
has err "error[C003]" "'many'"
status 125 twinrun record -o @1 true 2>err
has err "error[S004]"
status 125 env -u XDG_DATA_HOME -u HOME twinrun record true 2>err
has err "error[S001]" "-o ./NAME.twin"
status 125 env XDG_DATA_HOME=/proc/nowhere twinrun record true 2>err
has err "error[S002]"

# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A program that is not there: 127 as with env(1), and no recording is left behind.
needs_recorder
status 127 twinrun record -o t.twin -- ./no-such-program 2>err
has err "twinrun: error[R127]" "no-such-program" "= help:"
status 127 twinrun record -o t.twin -- no-such-program-in-path 2>err
has err "error[R127]"
status 127 twinrun record -o t.twin -- '' 2>err
has err "error[R127]"
[[ ! -e t.twin && ! -e t.twin.partial ]]

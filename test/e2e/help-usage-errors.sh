# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Without a verb: the overview on standard error. Usage errors have status 2.
status 2 twinrun >out 2>err
[[ ! -s out ]]
has err "usage: twinrun VERB"
status 2 twinrun ls surplus 2>err
has err "error[C005]" "surplus" "= help: twinrun help ls"
status 2 twinrun rm 2>err
has err "error[C004]"
status 2 twinrun completion tcsh 2>err
has err "bash, zsh and fish"

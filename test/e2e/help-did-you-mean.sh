# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Mistyped verbs, flags and recordings get a hint.
status 2 twinrun recrod 2>err
has err "error[C001]: twinrun has no verb 'recrod'" "= help: did you mean 'record'?"
status 2 twinrun help docter 2>err
has err "did you mean 'doctor'?"
status 2 twinrun --versoin 2>err
has err "did you mean '--version'?"
status 2 twinrun ls --josn 2>err
has err "error[C002]" "did you mean '--json'?"
status 125 twinrun record --quite true 2>err
has err "twinrun: error[C002]" "did you mean '--quiet'?"
status 2 twinrun frobnicate 2>err
has err "twinrun --help lists the verbs"
not grep -q "did you mean" err

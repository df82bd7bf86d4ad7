# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A child that outlives the program: record returns, the child runs on, --wait all waits for it.
needs_recorder
program='(sleep 6; echo late > late) & echo first'
start=$(date +%s)
twinrun record --wait 0.2 -o t.twin -- bash -c "$program" >out 2>err
(($(date +%s) - start < 5)) || fail "waited too long"
has out first
twinrun verify t.twin
for _ in $(seq 200); do [[ -e late ]] && break; sleep 0.1; done
[[ -e late ]] || fail "the child was lost"
rm late
twinrun record --wait all -o u.twin -- bash -c "${program/6/1}" >out
[[ -e late ]] || fail "--wait all did not wait"
twinrun verify u.twin

# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A child that outlives the program: record returns, the child runs on, --wait all waits for it.
needs_recorder
# The child waits to be told, so that record returns before it ends however slow the machine is.
mkfifo go
timeout 120 twinrun record --wait 0.2 -o t.twin -- bash -c '(read -r _ <go; echo late >late) & echo first' >out 2>err ||
  fail "record waited for the child"
has out first
has err "twinrun: warning[W021]: "
twinrun verify t.twin
[[ ! -e late ]] || fail "the child did not wait"
timeout 60 bash -c 'echo >go' || fail "the child was lost"
for _ in $(seq 600); do [[ -s late ]] && break; sleep 0.1; done
[[ -s late ]] || fail "the child was lost"
rm late
# This child has a new parent once its own has ended, and goes on for a while then.
cat >child.sh <<'SH'
(
  while read -r _ _ _ parent _ <"/proc/$BASHPID/stat" && ((parent == $$)); do sleep 0.05; done
  sleep 0.5
  echo late >late
) &
echo first
SH
twinrun record --wait all -o u.twin -- bash child.sh >out
[[ -e late ]] || fail "--wait all did not wait"
twinrun verify u.twin

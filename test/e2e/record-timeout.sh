# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A program that does not end in time is killed, which is said; the recording ends there and can be used.
needs_recorder
status 124 twinrun record --timeout 1 -o t.twin -- bash -c 'echo begun; read -r _ </dev/zero' >out 2>err
has out begun
has err "twinrun: warning[W026]: "
twinrun verify t.twin

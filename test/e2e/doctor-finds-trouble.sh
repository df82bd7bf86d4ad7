# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A missing recorder and a store that cannot be made are failures.
mkdir -p elsewhere/bin
cp "$TWINRUN" elsewhere/bin/twinrun
status 2 elsewhere/bin/twinrun doctor >out
has out "fail  recorder" "this machine cannot record yet"
status 2 env -u XDG_DATA_HOME HOME=relative twinrun doctor >out
has out "fail  store"
status 2 env XDG_DATA_HOME=/proc/nowhere twinrun doctor >out
has out "fail  store"
(ulimit -n 32 && { twinrun doctor >out || true; })
has out "warn  limits"

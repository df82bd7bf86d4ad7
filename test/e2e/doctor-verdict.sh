# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The verdict agrees with the status, in text and in JSON, and trouble comes with its fix.
got=0
twinrun doctor >out || got=$?
twinrun doctor --json >out.json || true
json out.json 'd["schema"] == "twinrun.doctor.v1" and len(d["checks"]) >= 5'
json out.json 'all(c["health"] == "ok" or c["fix"] for c in d["checks"])'
if ((got == 0)); then
  has out "this machine can record"
  json out.json 'd["able"] and d["failures"] == 0'
else
  ((got == 2))
  has out "cannot record yet" "= help:"
  json out.json 'not d["able"] and d["failures"] > 0'
fi
[[ ! -e $XDG_DATA_HOME ]] || fail "doctor made a store"

# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Limits that are too low, and programs that may not be looked at, end with a message of ours before anything runs.
needs_recorder
limited() {
  local flag=$1 value=$2
  shift 2
  (
    ulimit "$flag" "$value"
    status 125 twinrun record -o t.twin -- "$@" 2>err
  )
}
# A sanitizer's own needs come first.
if [[ $TWINRUN_BUILD != *san ]]; then
  limited -s 64 touch ran
  has err "error[C009]" "ulimit -s"
  limited -v 65536 touch ran
  has err "error[R026]" "ulimit -v"
  lacks err "aspacem" "valgrind"
fi
cp "$(type -P true)" rights
chmod u+s rights
status 126 twinrun record -o t.twin -- ./rights 2>err
has err "error[R126]" "set-user-id"
lacks err "Valgrind" "valgrind" "=="
[[ ! -e ran && ! -e t.twin && ! -e t.twin.partial ]]

# The summary is the owner's, follows no link, and replaces nothing unless told to.
umask 022
twinrun record -q --json sum.json -o t.twin -- true
[[ $(stat -c %a sum.json) == 600 ]]
echo mine >precious
ln -s precious link.json
status 125 twinrun record -q --json sum.json -o u.twin -- touch ran 2>err
has err "error[S009]" "sum.json"
status 125 twinrun record -q --json link.json -o u.twin -- touch ran 2>err
[[ ! -e ran && $(<precious) == mine ]]
twinrun record -q --force --json sum.json -o u.twin -- true
json sum.json 'd["exit_status"] == 0'

# A recording that is being written is not removed; when somebody removes it all the same, another of that name stays.
mkfifo go
twinrun record -o busy -- bash -c 'echo started >started; read -r line <go' 2>err &
recorder=$!
until [[ -s started ]]; do sleep 0.05; done
status 2 twinrun rm busy 2>refused
has refused "error[S011]" "being written"
rm "$XDG_DATA_HOME"/twinrun/busy.twin.partial
echo other >"$XDG_DATA_HOME"/twinrun/busy.twin.partial
echo >go
wait $recorder
has err "removed or replaced by another program"
[[ $(<"$XDG_DATA_HOME"/twinrun/busy.twin.partial) == other && ! -e $XDG_DATA_HOME/twinrun/busy.twin ]]

# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Only recordings are removed, all or none of the named ones.
store=$XDG_DATA_HOME/twinrun
mkdir -p "$store"
recording() { { printf 'TWINRUN\n'; head -c 56 /dev/zero; } >"$store/$1"; }
recording good.twin
recording bad.twin
recording half.twin.partial
echo text >"$store/text.twin"
echo text >note
status 2 twinrun rm good gppd 2>err
has err "error[S003]"
[[ -e $store/good.twin ]]
status 2 twinrun rm ./note 2>err
has err "error[S006]"
status 2 twinrun rm text 2>err
[[ -e note && -e $store/text.twin ]]
twinrun rm --dry-run good >out
has out "would remove $store/good.twin"
[[ -e $store/good.twin ]]
twinrun rm good "$store/bad.twin" good >out
has out "removed $store/good.twin" "2 recordings"
[[ ! -e $store/good.twin && ! -e $store/bad.twin ]]
twinrun rm --partial --json >out.json
json out.json 'd["schema"] == "twinrun.rm.v1" and len(d["removed"]) == 1'
[[ ! -e $store/half.twin.partial ]]
twinrun rm --partial >out
has out "nothing to remove"

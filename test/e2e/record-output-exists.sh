# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A recording is replaced only by --force; other files are left alone.
needs_recorder
twinrun record -o t.twin -- true
cp t.twin first
status 125 twinrun record -o t.twin -- sh -c 'echo ran' >out 2>err
has err "twinrun: error[R017]" "t.twin" "= help:" "--force"
[[ ! -s out ]]
same t.twin first
twinrun record --force -o t.twin -- true
not cmp -s t.twin first
# A symbolic link at the place of the recording is not followed.
echo precious >file
ln -s file link.twin
ln -s file link2.twin.partial
twinrun record -o link.twin -- true 2>/dev/null || true
twinrun record -o link2.twin -- true 2>/dev/null || true
twinrun record --force -o link.twin -- true 2>/dev/null || true
[[ $(cat file) == precious ]] || fail "a link was followed"

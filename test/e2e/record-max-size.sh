# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A size limit ends the recording, not the program; what was written is a readable prefix.
needs_recorder
head -c 300000 /dev/urandom >in
gzip -c in >native
twinrun record --max-size 400K -o cut.twin -- gzip -c in >recorded 2>said
same native recorded
grep -q 'warning\[W018\]' said
size=$(stat -c %s cut.twin)
((size <= 400 * 1024)) || fail "$size bytes"
twinrun verify cut.twin
twinrun info cut.twin | grep -qi 'prefix\|limit\|cut'

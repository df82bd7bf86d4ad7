#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# policy.sh OUT: lintian has no error and no warning for the Debian packages but those that an override, which must say
# why, is for; every override is still needed; the program is stripped, and its debug symbols are in the other package.
set -euo pipefail
out=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/twinrun-policy.XXXXXX")
trap 'rm -rf "$work"' EXIT
status=0
lintian --allow-root --fail-on error,warning --tag-display-limit 0 --display-info "$out"/*.deb >"$work/found" || status=$?
cat "$work/found"
if grep unused-override "$work/found"; then
  echo "an override is for nothing"
  status=1
fi

# An override without a comment in front of it gives no reason.
overrides=$(dirname "$0")/../../packaging/debian/twinrun.lintian-overrides
awk '/^twinrun: / && before !~ /^#/ { print "no reason: " $0; bad = 1 } { before = $0 } END { exit bad }' \
  "$overrides" || status=1

for deb in "$out"/*.deb; do
  dpkg-deb -x "$deb" "$work"
done
size=$(stat -c %s "$work/usr/bin/twinrun")
((size < 12000000)) || {
  echo "usr/bin/twinrun is not stripped: $size bytes"
  status=1
}
# The symbols are those of the program in the package: their file is named by its build id.
id=$(readelf -nW "$work/usr/bin/twinrun" | sed -n 's/.*Build ID: //p')
[[ -s $work/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug ]] || {
  echo "no debug symbols for build id $id"
  status=1
}
exit "$status"

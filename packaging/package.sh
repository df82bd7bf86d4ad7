#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# package.sh BUILD OUT: all packages of the build in BUILD, into the directory OUT, whose old ones are removed.
set -euo pipefail
build=$1 out=$2
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
mkdir -p "$out"
rm -f "$out"/twinrun*.deb "$out"/twinrun-*.tar.gz
"$here/deb.sh" "$build" "$out"
"$here/tarball.sh" "$build" "$out"
ls -sh1 "$out"/twinrun*

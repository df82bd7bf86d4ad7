#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# deb.sh BUILD OUT: the Debian package of the build in BUILD, and that of its debug symbols, into OUT.
# packaging/debian is an ordinary debian/ directory; debhelper asks for one in the directory it is started in.
set -euo pipefail
build=$(realpath "$1") out=$(realpath "$2")
source=$(dirname "$(dirname "$(realpath "${BASH_SOURCE[0]}")")")

version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
packaged=$(dpkg-parsechangelog -l "$source/packaging/debian/changelog" -S Version)
[[ ${packaged%-*} == "$version" ]] || {
  echo "packaging: debian/changelog has version $packaged, the build $version" >&2
  exit 2
}

tree=$out/tree/twinrun-$version
rm -rf "$out/tree"
mkdir -p "$tree"
trap 'rm -rf "$out/tree"' EXIT
cp -r "$source/packaging/debian" "$source/CHANGELOG.md" "$tree"
(cd "$tree" && TWINRUN_BUILD=$build debian/rules binary) >"$out/deb.log" 2>&1 || {
  cat "$out/deb.log" >&2
  exit 1
}
mv "$out/tree"/*.deb "$out"

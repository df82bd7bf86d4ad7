#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# tarball.sh BUILD OUT: the build in BUILD as a directory that works wherever it is unpacked, packed, into OUT. The
# libraries that it needs, without the C library's, are in it: other systems have them in other versions.
set -euo pipefail
build=$(realpath "$1") out=$(realpath "$2")
source=$(dirname "$(dirname "$(realpath "${BASH_SOURCE[0]}")")")
: "${SOURCE_DATE_EPOCH:=$(dpkg-parsechangelog -l "$source/packaging/debian/changelog" -S Timestamp)}"

version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
name=twinrun-$version-x86_64-linux
work=$(mktemp -d "$out/tarball.XXXXXX")
trap 'rm -rf "$work"' EXIT
root=$work/$name
mkdir "$root"
cmake --install "$build" --prefix "$root" >/dev/null
# The recorder keeps its symbol table, as in the Debian package.
strip --strip-all "$root/bin/twinrun" "$root/libexec/twinrun/twinrun-launch"
strip --strip-debug "$root/libexec/twinrun/twinrun-amd64-linux"

doc=$root/share/doc/twinrun
mkdir -p "$root/lib/twinrun" "$doc/licences"
cp "$source/LICENSE" "$source/CHANGELOG.md" "$source/packaging/debian/copyright" "$doc"
cp "$source/recorder/COPYING" "$doc/licences/GPL-2"
while read -r library file; do
  case $library in
    libc.so.* | libm.so.* | libpthread.so.* | libdl.so.* | librt.so.*) continue ;;
  esac
  cp -L "$file" "$root/lib/twinrun/$library"
  # The path as the package has it: /lib is a link to /usr/lib.
  package=$(dpkg -S "$file" 2>/dev/null || dpkg -S "/usr$file" 2>/dev/null || dpkg -S "$(realpath "$file")")
  cp -L "/usr/share/doc/${package%%:*}/copyright" "$doc/licences/$library"
done < <(ldd "$root/bin/twinrun" | awk '$2 == "=>" && $3 ~ /^\// { print $1, $3 }')
# DT_RPATH and not DT_RUNPATH: the libraries find each other there, too.
patchelf --force-rpath --set-rpath '$ORIGIN/../lib/twinrun' "$root/bin/twinrun"

glibc=$(find "$root/bin" "$root/lib" -type f -exec objdump -T {} + | grep -oE 'GLIBC_2\.[0-9]+' | sort -Vu | tail -n 1)
valgrind=$(dpkg-query -W -f='${source:Version}' valgrind)
sed -e "s/@VERSION@/$version/g" -e "s/@GLIBC@/glibc ${glibc#GLIBC_}/" -e "s/@VALGRIND@/$valgrind/" \
  "$source/packaging/tarball/README.md" >"$root/README.md"

# The same build gives the same bytes.
chmod -R u=rwX,go=rX "$root"
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -C "$work" -c "$name" |
  gzip -9n >"$work/$name.tar.gz"
mv "$work/$name.tar.gz" "$out"

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# rebuild.sh ROOT BUILD: web/dist/report.html is what web/src gives, byte for byte, and the lock file
# names no host.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
root=$1 dir=$2/web
needs_node "$dir"
copy_with_modules "$root" "$dir"
if grep -nE '"resolved"' "$root/web/package-lock.json"; then
  echo "web/package-lock.json names the host that packages came from"
  exit 1
fi
cd "$dir"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
npx --no-install tsc --noEmit
REPORT_OUT=$out npx --no-install vite build --logLevel warn
cmp "$out/report.html" "$root/web/dist/report.html" || {
  echo "web/dist/report.html is not what web/src gives: npm run build in web/"
  exit 1
}

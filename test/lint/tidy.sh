#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# clang-tidy-19 with the compile commands of a build directory: tidy.sh BUILD
set -euo pipefail
build=$1
command -v run-clang-tidy-19 >/dev/null || exit 77
# Tests are left out: GoogleTest's macros take most of the time and all of the noise.
mapfile -t files < <(find src -name '*.cc' ! -name '*_test.cc' | sort)
exec run-clang-tidy-19 -quiet -p "$build" -j "$(nproc)" "${files[@]/#/^$PWD/}"

# SPDX-License-Identifier: MIT
# shellcheck shell=bash
twinrun --version >out
grep -Eqx 'twinrun [0-9]+\.[0-9]+\.[0-9]+' out
version=$(sed -n 's/^project(twinrun VERSION \([0-9.]*\).*/\1/p' "$TWINRUN_SOURCE/CMakeLists.txt")
[[ $(cat out) == "twinrun $version" ]]

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What matching two binaries costs and how right it is; bench/README.md says how it is measured.
exec python3 "$(dirname "$0")/match.py" "$@"

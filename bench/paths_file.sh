#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What the first question about paths costs, and the ones behind it; bench/README.md says how it is measured.
exec python3 "$(dirname "$0")/paths_file.py" "$@"

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# How fast values are computed again; bench/README.md says how it is measured.
exec python3 "$(dirname "$0")/regenerate.py" "$@"

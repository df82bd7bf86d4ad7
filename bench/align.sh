#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# How fast two runs are aligned; bench/README.md says how it is measured.
exec python3 "$(dirname "$0")/align.py" "$@"

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What recording costs; bench/README.md says how it is measured.
exec python3 "$(dirname "$0")/record.py" "$@"

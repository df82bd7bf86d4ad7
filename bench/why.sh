#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What explaining a difference costs; bench/README.md says how it is measured.
exec python3 "$(dirname "$0")/why.py" "$@"

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What control flow traces, their archives and indexes cost; bench/README.md says how it is measured.
exec python3 "$(dirname "$0")/paths.py" "$@"

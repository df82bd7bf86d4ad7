#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What many threads cost when a run is aligned with itself; bench/README.md says how it is measured.
exec python3 "$(dirname "$0")/threads.py" "$@"

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# How many memory accesses correspond, with and without memory indices; bench/README.md says how.
exec python3 "$(dirname "$0")/canonical.py" "$@"

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What a kept history of memory saves, and costs; bench/README.md says how it is measured.
exec python3 "$(dirname "$0")/history.py" "$@"

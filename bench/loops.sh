#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# How much of two runs is aligned when one record of an input was inserted, deleted or changed;
# bench/README.md says how it is measured.
exec python3 "$(dirname "$0")/loops.py" "$@"

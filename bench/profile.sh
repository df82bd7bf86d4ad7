#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Profiles of one build for the next, beside llvm-bolt; bench/README.md says how it is measured.
exec python3 "$(dirname "$0")/profile.py" "$@"

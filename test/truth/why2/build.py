#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fetches, patches and builds the programs of the second truth set, and checks each bug, as ../why/build.py does.

usage: build.py [--all] [-C CACHE] [-b BUILD] [--fetch] [CASE...]

Builds with gcc; --all: with clang too.
"""
import os
import sys

import bugs
import truth

sys.path.insert(0, os.path.dirname(truth.__file__))  # its build.py, not this one

import build  # noqa: E402

if __name__ == "__main__":
    every = "--all" in sys.argv
    sys.argv = [word for word in sys.argv if word != "--all"]
    truth.run_main(build.main, bugs.HERE, bugs.builds(every), bugs.check)

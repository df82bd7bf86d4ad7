#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Variables, values, types and names of memory equal gdb's at random stops of the workload.

Of the variables that gdb has a value for at least 95% must have the same one here, and none may have
another one: what is not known must say so. A name that we give to memory must lead gdb to the same
memory, always. 60 stops a build, 400 with TWINRUN_TEST_ALL=1.
"""
import json
import os
import subprocess
import sys

import builds

STOPS = 400 if builds.ALL else 60
LEAST_EQUAL = 0.95
MOST_WRONG = 0.0
LEAST_TYPES = 0.99
MOST_GDB_ERRORS = 0.005
MOST_ALONE = 0.01  # values where gdb has none: it refuses some entry values


def stops_of(path, seed):
    environment = dict(os.environ, PROBE=os.environ["PROBE_VARIABLES"], BINARY=path, STOPS=str(STOPS), SEED=str(seed))
    environment.pop("DEBUGINFOD_URLS", None)
    out = subprocess.run(["gdb", "-nx", "-batch", "-x", builds.HERE + "/gdb_stops.py", path], env=environment,
                         capture_output=True, text=True, timeout=900, check=False)
    for line in out.stdout.split("\n"):
        if line.startswith("RESULT "):
            return json.loads(line[7:])
    sys.exit(f"gdb failed:\n{out.stdout[-2000:]}\n{out.stderr[-2000:]}")


def check(name, result):
    counts = result["counts"]

    def count(key):
        return counts.get(key, 0)

    total = count("variables")
    equal = count("equal")
    print(f"{name}: {count('stops')} stops, {total} variables, {equal} equal ({equal / max(total, 1):.1%}), "
          f"{count('unavailable')} unavailable here, {count('missing')} missing, {count('other value')} wrong, "
          f"{count('gdb errs')} wrong in gdb, "
          f"{count('other type')} other types, {count('only ours')} only here; "
          f"{count('named')} names, {count('other name')} wrong, {count('not resolved')} not resolved, "
          f"{count('unnamed')} without")
    good = (total > STOPS and equal >= LEAST_EQUAL * total and count("other value") <= MOST_WRONG * total
            and count("other type") <= (1 - LEAST_TYPES) * total and count("named") > STOPS
            and count("gdb errs") <= MOST_GDB_ERRORS * total
            and count("only ours") <= MOST_ALONE * total and count("other name") == 0 and count("not resolved") == 0)
    if not good or "-v" in sys.argv:
        for kind, lines in sorted(result["examples"].items()):
            for line in lines:
                print(f"  {kind}: {line}")
    return good


def main():
    builds.need("gdb", "gcc", "clang-19", "nm")
    good = True
    for i, name in enumerate(builds.BUILDS):
        if not builds.ALL and name.endswith("dwarf4") and "O0" in name:
            continue
        good &= check(name, stops_of(builds.shared(name), i))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

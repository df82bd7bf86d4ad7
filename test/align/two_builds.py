#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs of two builds of a program correspond as runs of one build do, when an identity says which code is which.

usage: two_builds.py CHECKER [SEED]

The second build has its functions at other addresses, so that no block of the program with a call in it is the same
as in the first. Two cases of each program of truth.py are drawn; all with TWINRUN_TEST_ALL=1.
"""
import glob
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from recording import ALL, HERE, record, run  # noqa: E402
from truth import BUILDS, Program  # noqa: E402


def main():
    checker = sys.argv[1]
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    drawn = random.Random(seed)
    failed = 0
    with tempfile.TemporaryDirectory(prefix="twinrun-builds-") as tmp:
        for path in sorted(glob.glob(HERE + "/programs/*.c")):
            program = Program(path)
            cases = program.cases if ALL else drawn.sample(program.cases, min(2, len(program.cases)))
            # Threads and their locks do not execute the same instructions twice.
            if not cases or program.build == "library":
                continue
            level = drawn.choice(["-O0", "-O2"])
            for build, alignment in (("one", 16), ("two", 256)):
                run(["gcc", "-g", "-w", level, f"-falign-functions={alignment}", *BUILDS[program.build],
                     "-o", f"{tmp}/{build}", path])
            for case in cases:
                for name, build, args in (("a", "one", case.a), ("b", "one", case.b), ("other", "two", case.b)):
                    record(f"{tmp}/{name}.twin", [f"{tmp}/{build}", *args])
                done = subprocess.run([checker, *(f"{tmp}/{name}.twin" for name in ("a", "b", "other"))],
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
                failed += done.returncode != 0
                verdict = "ok  " if done.returncode == 0 else "FAIL"
                print(f"{verdict} {path[len(HERE) + 10:]} {level} {case.name()}: {done.stdout}", end="")
    print(f"seed {seed}, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

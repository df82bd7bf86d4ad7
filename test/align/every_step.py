#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The index of every step of small programs leads back to that step.

usage: every_step.py INDEX_CHECK
Runs the cases of the programs without a C library (truth.py); TWINRUN_TEST_ALL=1 takes all levels.
"""
import os
import subprocess
import sys
import tempfile

from recording import record
from truth import HERE, Program

ALL = os.environ.get("TWINRUN_TEST_ALL") == "1"


def main():
    failed = 0
    with tempfile.TemporaryDirectory(prefix="twinrun-every-step-") as tmp:
        for name in sorted(os.listdir(HERE + "/programs")):
            path = f"{HERE}/programs/{name}"
            with open(path, encoding="ascii") as f:
                if "//@ build small" not in f.read():
                    continue
            program = Program(path)
            for level in ["-O0", "-O1", "-O2"] if ALL else ["-O0"]:
                binary = f"{tmp}/{name}{level}"
                program.compile("gcc", level, binary)
                for case in program.cases:
                    record(tmp + "/t.twin", [binary] + case.a, env={})
                    check = subprocess.run([sys.argv[1], tmp + "/t.twin", "1", "0"], capture_output=True, text=True,
                                           check=False)
                    if check.returncode != 0:
                        failed += 1
                        print(f"FAIL {name} {level} {case.a}: {check.stdout}{check.stderr}")
                print(f"{name} {level}: {len(program.cases)} cases")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

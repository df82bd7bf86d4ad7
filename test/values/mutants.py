#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plants wrong steps into the computation of values and demands that they are noticed.

usage: mutants.py MUTANTS RECIPES

Records programs of random instructions and some of test/torture's with the registers of every block, and lets
values_mutants compute them with one wrong step after another.
"""
import os
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import random_code  # noqa: E402
import random_programs  # noqa: E402
import registers  # noqa: E402

TWINRUN = os.environ["TWINRUN"]
RANDOM_PROGRAMS = 40
RECIPES = ["float-x87.c", "vector-avx2.c", "float.c"]


def record(program, trace):
    subprocess.run([TWINRUN, "record", "-q", "--tool-flag=--state-every=1", "-o", trace, "--", program],
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return trace


def main():
    mutants, recipes = sys.argv[1:]
    features = random_programs.cpu_features()
    traces = []
    with tempfile.TemporaryDirectory(prefix="twinrun-mutants-") as tmp:
        for seed in range(1, RANDOM_PROGRAMS + 1):
            with open(tmp + "/t.s", "w", encoding="ascii") as f:
                f.write(random_code.program(random.Random(seed), features, random_programs.INSTRUCTIONS,
                                            random_programs.ITERATIONS))
            subprocess.run(["gcc", "-nostdlib", "-static", "-no-pie", "-o", "t", "t.s"], cwd=tmp, check=True)
            traces.append(record(tmp + "/t", f"{tmp}/{seed}.twin"))
        for recipe in RECIPES:
            traces.append(record(registers.build(recipe, recipes, tmp)[0], f"{tmp}/{recipe}.twin"))
        sys.exit(subprocess.run([mutants, *traces], check=False).returncode)


if __name__ == "__main__":
    main()

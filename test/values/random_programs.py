#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs of random instructions, recorded with the registers of every block.

usage: random_programs.py

Each program is run natively and recorded; what it prints, all its registers and memory, must be the same. Then
`verify` compares the registers of every block with the computation. TWINRUN_TEST_ALL=1 makes 1000 programs
instead of 60. TWINRUN_TEST_SEED sets the first seed (1); program i has the seed first + i, and a failing one
can be repeated by that seed and TWINRUN_TEST_COUNT=1. With TWINRUN_TEST_KEEP=DIRECTORY its files stay.
"""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import random_code  # noqa: E402

TWINRUN = os.environ["TWINRUN"]
ALL = os.environ.get("TWINRUN_TEST_ALL") == "1"
COUNT = int(os.environ.get("TWINRUN_TEST_COUNT", 1000 if ALL else 60))
KEEP = os.environ.get("TWINRUN_TEST_KEEP")
INSTRUCTIONS = 400
ITERATIONS = 36  # blocks that ran 32 times are computed by machine code


def cpu_features():
    with open("/proc/cpuinfo", encoding="ascii") as f:
        for line in f:
            if line.startswith("flags"):
                return set(line.split()[2:])
    return set()


def run(words, tmp):
    return subprocess.run(words, cwd=tmp, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)


def check(seed, features, tmp):
    """Problems, and the number of compared states."""
    with open(tmp + "/t.s", "w", encoding="ascii") as f:
        f.write(random_code.program(random.Random(seed), features, INSTRUCTIONS, ITERATIONS))
    built = run(["gcc", "-nostdlib", "-static", "-no-pie", "-o", "t", "t.s"], tmp)
    if built.returncode != 0:
        return [built.stderr.decode(errors="replace")[:2000]], 0
    native = run(["./t"], tmp)
    if native.returncode != 0:
        return [f"natively it ends with {native.returncode}"], 0
    recorded = run([TWINRUN, "record", "-q", "--force", "--tool-flag=--state-every=1", "-o", "t.twin", "--", "./t"], tmp)
    problems = []
    if recorded.returncode != 0:
        problems.append(f"recorded it ends with {recorded.returncode}: {recorded.stderr.decode(errors='replace')[:300]}")
    if recorded.stdout != native.stdout:
        size = min(len(recorded.stdout), len(native.stdout))
        at = [i for i in range(0, size, 8) if recorded.stdout[i:i + 8] != native.stdout[i:i + 8]]
        problems.append(f"recorded it prints something else, first at {at[:6]}")
    verified = run([TWINRUN, "verify", "--json", "t.twin"], tmp)
    if verified.returncode > 1:
        return problems + [verified.stderr.decode(errors="replace")], 0
    said = json.loads(verified.stdout)
    problems += [f"{v['check']} block {v['block']}: {v['text']}" for v in said["violations"][:4]]
    if said["states"] < ITERATIONS:
        problems.append(f"only {said['states']} states")
    return problems, said["states"]


def main():
    first = int(os.environ.get("TWINRUN_TEST_SEED", 1))
    features = cpu_features()
    failed = states = 0
    with tempfile.TemporaryDirectory(prefix="twinrun-random-") as tmp:
        for seed in range(first, first + COUNT):
            problems, compared = check(seed, features, tmp)
            states += compared
            if not problems:
                continue
            failed += 1
            print(f"FAIL seed {seed}", flush=True)
            for problem in problems:
                print("     " + problem)
            if KEEP:
                shutil.copytree(tmp, f"{KEEP}/seed-{seed}", dirs_exist_ok=True)
    print(f"{COUNT} programs of about {INSTRUCTIONS} instructions from seed {first} on, {states} register states, "
          f"{failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random programs, run with two inputs that differ in a few bytes: `align` and `index` against the definition.

usage: random_programs.py [SEED...]

Of each program three runs are recorded, the third with the input of the first: these two must align
completely. TWINRUN_TEST_ALL=1 makes 400 programs instead of 14. TWINRUN_TEST_SEED sets the first seed (1),
TWINRUN_TEST_COUNT the number. A failing program is made smaller; TWINRUN_TEST_KEEP=DIRECTORY keeps it.
"""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import naive  # noqa: E402
import random_code  # noqa: E402
from recording import ALL, HERE, TWINRUN, Failure, record, run  # noqa: E402

COUNT = int(os.environ.get("TWINRUN_TEST_COUNT", 400 if ALL else 14))
KEEP = os.environ.get("TWINRUN_TEST_KEEP")
COMPILERS = [c for c in ("gcc", "clang", "clang-19") if shutil.which(c)][:2]
SHRINKING = 400 if ALL else 120  # tries


class Case:
    """A program, how it is compiled, and its two inputs."""

    def __init__(self, seed):
        rng = random.Random(seed)
        self.program = random_code.Program(rng, jumps_back=rng.random() < 0.4)
        self.compiler = rng.choice(COMPILERS)
        self.flags = [rng.choice(["-O0", "-O1", "-O2"])]
        if rng.random() < 0.2:
            self.flags.append("-fno-jump-tables")
        self.a = bytes(rng.randrange(256) for _ in range(rng.randint(20, 150)))
        self.b = self.a
        if ALL and rng.random() < 0.15:
            self.program.fuel = 3000  # long enough for what `align` passes in one go
        self.rng = rng

    def vary(self, tmp):
        """Makes the second input: one that lets the program compute something else."""
        for _ in range(30):
            changed = bytearray(self.a)
            for _ in range(self.rng.choice([1, 1, 2, 4])):
                changed[self.rng.randrange(len(changed))] = self.rng.randrange(256)
            self.b = bytes(changed)
            if len({subprocess.run([tmp + "/t"], input=i, check=False).returncode for i in (self.a, self.b)}) == 2:
                break

    def build(self, tmp):
        with open(tmp + "/t.c", "w", encoding="ascii") as f:
            f.write(self.program.print())
        done = subprocess.run([self.compiler, "-g", "-w", *self.flags, "-static", "-nostdlib", "-ffreestanding",
                               "-fno-stack-protector", "-fcf-protection=none", "-I", HERE + "/programs", "-o",
                               tmp + "/t", tmp + "/t.c"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return done.stdout.decode(errors="replace") if done.returncode else ""

    @staticmethod
    def check_index(both):
        """The index that `index` tells of an instruction of a is found in b where it is aligned, and only there."""
        rng = random.Random(1)
        pairs = dict(both.pairs)
        alone = [step for step in range(len(both.index_a)) if step not in pairs]
        steps = rng.sample(sorted(pairs), min(3, len(pairs))) + rng.sample(alone, min(2, len(alone)))
        for step in steps:
            told = json.loads(run([TWINRUN, "index", "--json", "--at", str(step), both.a.path]))
            entries = len(both.index_a[step][0]) + (both.index_a[step][1] > 0)
            if len(told["path"]) != entries:
                raise Failure(f"index of {step}: {len(told['path'])} entries instead of {entries}: {told['index']}")
            found = subprocess.run([TWINRUN, "index", "--json", "--find", told["index"], both.b.path],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            there = int(json.loads(found.stdout)["position"].split(".")[-1]) if found.returncode == 0 else None
            if there != pairs.get(step):
                raise Failure(f"the index of {step} is found at {there} instead of {pairs.get(step)}: {told['index']}")

    def check(self, tmp):
        """Executed instructions of the first two runs, and the aligned ones."""
        for name, data in (("a", self.a), ("b", self.b), ("c", self.a)):
            record(f"{tmp}/{name}.twin", [tmp + "/t"], stdin=data, env={})
        both = naive.Naive(tmp + "/a.twin", tmp + "/b.twin")
        same = naive.Naive(tmp + "/a.twin", tmp + "/c.twin")
        if same.pairs != [(i, i) for i in range(len(same.index_b))] or len(same.index_a) != len(same.index_b):
            raise Failure("equal inputs are not aligned completely by the definition")
        first = next((i for i, (a, b) in enumerate(zip(both.a.trace, both.b.trace)) if a.address != b.address),
                     min(len(both.a.trace), len(both.b.trace)))
        if both.pairs[:first] != [(i, i) for i in range(first)]:
            raise Failure("what both runs begin with is not aligned by the definition")
        naive.compare(both)
        naive.compare(same)
        # It knows one recording only, so its indices can be others when that has not seen all jumps.
        if not both.code.differs:
            self.check_index(both)
        return len(both.index_a), len(both.index_b), len(both.pairs)


def fails(case, tmp):
    if case.build(tmp):
        return False
    try:
        case.check(tmp)
    except Failure:
        return True
    return False


def shrink(case, tmp):
    """Leaves out statements while it still fails."""
    number = 0
    for _ in range(SHRINKING):
        smaller = case.program.shrunk(number)
        if smaller is None:
            break
        was, case.program = case.program, smaller
        if not fails(case, tmp):
            case.program = was
            number += 1


def main():
    first = int(os.environ.get("TWINRUN_TEST_SEED", 1))
    seeds = [int(w) for w in sys.argv[1:]] or range(first, first + COUNT)
    failed = 0
    with tempfile.TemporaryDirectory(prefix="twinrun-align-") as tmp:
        for seed in seeds:
            case = Case(seed)
            said = f"seed {seed}, {case.compiler} {' '.join(case.flags)}"
            if problem := case.build(tmp):
                sys.exit(f"FAIL {said}: {problem}")
            case.vary(tmp)
            try:
                a, b, aligned = case.check(tmp)
                print(f"ok   {said}: {a} and {b} instructions, {aligned} aligned", flush=True)
            except Failure as failure:
                failed += 1
                print(f"FAIL {said}: {failure}", flush=True)
                shrink(case, tmp)
                case.build(tmp)
                try:
                    case.check(tmp)
                except Failure as smaller:
                    print(f"smaller: {smaller}\ninput {case.a.hex()}\nor    {case.b.hex()}\n{case.program.print()}",
                          flush=True)
                if KEEP:
                    shutil.copytree(tmp, f"{KEEP}/{seed}", dirs_exist_ok=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

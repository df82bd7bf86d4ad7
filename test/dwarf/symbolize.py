#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Frames of random addresses, inlined ones included, equal those of llvm-symbolizer.

For each build of the workload, and for forms of debug information that llvm-symbolizer does not read
(shared by dwz, .zdebug sections): those are compared with its answers for the same build without
that form. 1000 addresses each, 10 000 with TWINRUN_TEST_ALL=1.
"""
import os
import random
import re
import shutil
import sys
import tempfile

import builds

PROBE = os.environ["PROBE_FRAMES"]
SYMBOLIZER = "llvm-symbolizer-19"
COUNT = 10000 if builds.ALL else 1000


def text_section(path):
    out = builds.run(["readelf", "-SW", path], capture_output=True, text=True).stdout
    row = re.search(r"\] \.text\s+\S+\s+(\w+) \w+ (\w+)", out)
    return int(row[1], 16), int(row[2], 16)


def answers(command, addresses):
    text = "".join(f"{a:#x}\n" for a in addresses)
    out = builds.run(command, input=text, capture_output=True, text=True)
    return out.stdout.rstrip("\n").split("\n\n"), out.stderr


def compare(name, ours, truth, seed):
    begin, size = text_section(truth)
    randomly = random.Random(seed)
    addresses = [randomly.randrange(begin, begin + size) for _ in range(COUNT)]
    got, notes = answers([PROBE, ours], addresses)
    want, _ = answers([SYMBOLIZER, "--functions=short", "--no-demangle", "-e", truth], addresses)
    different = [(a, g, w) for a, g, w in zip(addresses, got, want) if g != w]
    frames = sum((w.count("\n") + 1) // 2 for w in want)
    named = sum(not w.startswith("??") for w in want)
    print(f"{name}: {len(want)} addresses, {frames} frames, {len(different)} differ")
    for address, g, w in different[:3]:
        print(f"{address:#x}\n--- ours\n{g}\n--- llvm-symbolizer\n{w}")
    # A comparison of nothing with nothing is no test.
    enough = named > COUNT * 0.9 and len(got) == len(want) == COUNT
    if not enough or notes:
        print(f"{name}: {named} of {COUNT} named; {notes}")
    return enough and not different and not notes


def split(directory, name, flags, in_package):
    place = os.path.join(directory, name)
    os.mkdir(place)
    path = builds.build(place, "program", flags + " -gsplit-dwarf")
    if in_package:
        builds.run(["llvm-dwp-19", "-e", path, "-o", path + ".dwp"])
        for file in os.listdir(place):
            if file.endswith(".dwo"):
                os.remove(os.path.join(place, file))
    return path


def main():
    builds.need(SYMBOLIZER, "llvm-dwp-19", "clang-19", "gcc", "dwz", "objcopy")
    good = True
    with tempfile.TemporaryDirectory() as tmp:
        for i, name in enumerate(builds.BUILDS):
            path = builds.shared(name)
            good &= compare(name, path, path, i)
        for compiler in ("gcc", "clang-19"):
            for version in (4, 5):
                # Each compiler and version; of the two forms one each unless all are wanted.
                for in_package in (False, True) if builds.ALL else (version == 4,):
                    name = f"{compiler}-split{version}{'-package' if in_package else ''}"
                    path = split(tmp, name, f"{compiler} -O2 -gdwarf-{version}", in_package)
                    good &= compare(name, path, path, version)
        plain = builds.shared("gcc-O2-dwarf5")
        builds.run(["objcopy", "--compress-debug-sections=zlib-gnu", plain, tmp + "/zdebug"])
        good &= compare("zlib-gnu", tmp + "/zdebug", plain, 20)
        for name in ("dwz-1", "dwz-2"):
            shutil.copy(plain, f"{tmp}/{name}")
        builds.run(["dwz", "-m", "shared", "-M", "./shared", "dwz-1", "dwz-2"], cwd=tmp)
        good &= compare("dwz", tmp + "/dwz-1", plain, 21)
        shutil.copy(plain, tmp + "/stripped")
        builds.run(["objcopy", "--only-keep-debug", "stripped", "stripped.debug"], cwd=tmp)
        builds.run(["objcopy", "--strip-all", "--add-gnu-debuglink=stripped.debug", "stripped"], cwd=tmp)
        good &= compare("separate", tmp + "/stripped", plain, 22)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

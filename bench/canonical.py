#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Trace canonicalization, as in section 7.2 of the memory indexing paper.

Runs make, gawk and dot on an input and on the first 20, 40, 60 and 80% of it, aligns each of these
runs with that of the whole input, and prints of the instructions that correspond how many heap and
stack accesses have the same address, and how many the same memory index. With the stack's start
padded, and without. Shares in percent.

usage: canonical.sh [--only PROGRAM]
"""
import argparse
import os
import random
import shutil
import subprocess
import tempfile

from record import ROOT, TWINRUN

BIN = os.environ.get("TWINRUN_BENCH_BIN", ROOT + "/build/release/bin")


def make_input(rng, share):
    """Targets with rules, variables and functions."""
    count = int(120 * share)
    lines = ["all:" + "".join(f" t{i}" for i in range(count))]
    for i in range(count):
        lines.append(f"V{i} := $(patsubst %.c,%.o,{' '.join(f'f{rng.randrange(90)}.c' for _ in range(rng.randrange(1, 6)))})")
        lines.append(f"t{i}: {' '.join(f't{rng.randrange(i)}' for _ in range(rng.randrange(3)) if i)}\n\t@echo $(V{i}) $@ $^")
    return "\n".join(lines) + "\n"


def gawk_input(rng, share):
    return "".join(" ".join(rng.choice(WORDS) for _ in range(rng.randrange(2, 12))) + "\n" for _ in range(int(400 * share)))


def dot_input(rng, share):
    count = int(40 * share)
    edges = [f"  n{i} -> n{rng.randrange(i)} [label=\"{rng.choice(WORDS)}\"];" for i in range(1, count)]
    return "digraph g {\n" + "\n".join(edges) + "\n}\n"


WORDS = [f"w{i}" for i in range(60)]
GAWK = "{ for (i = 1; i <= NF; i++) n[$i] = n[$i] length($i); l[NR] = $0 } END { m = asorti(n, s); " \
       "for (i = 1; i <= m; i++) t = t s[i] substr(n[s[i]], 1, 3); print length(t), toupper(substr(t, 1, 20)) }"
PROGRAMS = {
    "make": (make_input, lambda f: ["make", "-n", "-f", f, "all"]),
    "gawk": (gawk_input, lambda f: ["gawk", GAWK, f]),
    "dot": (dot_input, lambda f: ["dot", "-Tplain", f]),
}


def percent(part, whole):
    return 100.0 * part / whole if whole else float("nan")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only")
    args = parser.parse_args()
    print(f"{'program':8}{'input':>6} {'stack':8}{'flow':>7}{'heap addr':>11}{'heap MI':>9}{'more':>6}"
          f"{'stack addr':>12}{'stack MI':>10}{'more':>6}")
    for name, (generate, command) in PROGRAMS.items():
        if args.only and args.only != name:
            continue
        if shutil.which(name) is None:
            print(f"{name:8} is not installed")
            continue
        for pad in ([], ["--no-pad"]):
            with tempfile.TemporaryDirectory(prefix="twinrun-bench-") as tmp:
                def record(share, environment):
                    # The first part of the same input.
                    with open(f"{tmp}/in", "w", encoding="ascii") as f:
                        f.write(generate(random.Random(7), share))
                    path = f"{tmp}/{share}.twin"
                    subprocess.run([TWINRUN, "record", "-q", *pad, "-o", path, "--"] + command("in"), cwd=tmp, check=False,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
                    return path
                whole = record(1.0, os.environ | {"SHARE": "100"})
                for share in (0.2, 0.4, 0.6, 0.8):
                    # The environment differs in size, as between two shells.
                    part = record(share, os.environ | {"SHARE": "x" * int(100 * share)})
                    out = subprocess.run([BIN + "/bench_canonical", part, whole], check=True, capture_output=True, text=True)
                    steps, aligned, heap, heap_address, heap_index, stack, stack_address, stack_index = map(int, out.stdout.split())
                    print(f"{name:8}{share:6.0%} {'free' if pad else 'padded':8}{percent(aligned, steps):7.1f}"
                          f"{percent(heap_address, heap):11.1f}{percent(heap_index, heap):9.1f}"
                          f"{percent(heap_index - heap_address, heap):6.1f}"
                          f"{percent(stack_address, stack):12.1f}{percent(stack_index, stack):10.1f}"
                          f"{percent(stack_index - stack_address, stack):6.1f}", flush=True)


if __name__ == "__main__":
    main()

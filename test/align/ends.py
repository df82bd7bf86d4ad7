#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The exit path of figure 5: a run that ends while the other goes on.

The loop that walks until the stacks are equal again ends at the end of a trace, too. What the one run does from the
branch on that let it end, and all that the other run does from there on, is one disaligned region, the last one:
nothing behind a branch corresponds to anything when one run never comes to its post-dominator.
"""
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import naive  # noqa: E402
from recording import HERE, Failure, align, record  # noqa: E402


def check(both, ends_a, ends_b):
    """Which of the runs end early, and where."""
    said = align(both.a.path, both.b.path)
    naive.compare(both, said)
    regions = said["threads"][0]["regions"]
    if ends_a == ends_b:
        if [r["kind"] for r in regions] != ["aligned"]:
            raise Failure(f"the same ends, but {regions}")
        return
    if [r["kind"] for r in regions] != ["aligned", "disaligned"]:
        raise Failure(f"not one aligned region and one to the end: {regions}")
    apart = regions[-1]
    for recording, side, ends in ((both.a, "a", ends_a), (both.b, "b", ends_b)):
        start, end = apart[side]
        if end != len(recording.trace) or end == start:
            raise Failure(f"{side} does not end in the last region: {apart}")
        ran = {at.function for at in recording.trace[start:end]}
        if ("finish" in ran) != ends:
            raise Failure(f"{side} executes {sorted(map(str, ran))} behind the branch")
    before = both.a.trace[apart["a"][0] - 1], both.b.trace[apart["b"][0] - 1]
    if before[0].address != before[1].address or before[0].flow != "branch":
        raise Failure(f"the runs part behind {before[0].text} and {before[1].text}")


def main():
    failed = 0
    with tempfile.TemporaryDirectory(prefix="twinrun-ends-") as tmp:
        for level in ("-O0", "-O1"):
            subprocess.run(["gcc", "-g", "-w", level, "-static", "-nostdlib", "-ffreestanding", "-fno-stack-protector",
                            "-fcf-protection=none", "-fno-inline", "-o", tmp + "/t", HERE + "/programs/ends.c"], check=True)
            for name in "-lcb":
                record(f"{tmp}/{name}.twin", [tmp + "/t"], stdin=name.encode(), env={})
            for a, b in ("-l", "-c", "-b", "l-", "c-", "b-", "ll", "--"):
                try:
                    check(naive.Naive(f"{tmp}/{a}.twin", f"{tmp}/{b}.twin"), a != "-", b != "-")
                    print(f"ok   {level} {a}{b}")
                except Failure as failure:
                    failed += 1
                    print(f"FAIL {level} {a}{b}: {failure}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

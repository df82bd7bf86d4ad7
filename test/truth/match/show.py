#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""show.py OLD NEW [--no-names] [--source NAME=OLDFILE=NEWFILE] [--lines] [--wrong N]: matches two binaries and prints
how many pairs of each rule and strength are right. OLD and NEW need symbols and debug information; --lines: compare
lines without columns (other compilers); --no-names hides the symbols from the matcher, not from the judge."""
import argparse
import collections
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import judge


def table(rows):
    """Lines: by rule, then by strength."""
    out = []
    totals = collections.defaultdict(collections.Counter)

    def line(name, counts):
        judged = counts[judge.RIGHT] + counts[judge.WRONG]
        part = f"{counts[judge.RIGHT] / judged:8.4f}" if judged else "       -"
        out.append(f"{name:48} {counts[judge.RIGHT]:8} {counts[judge.WRONG]:7} {counts[judge.UNJUDGED]:8} {part}")

    out.append(f"{'':48} {'right':>8} {'wrong':>7} {'unjudged':>8} precision")
    for (subject, rule, level, strength), counts in sorted(rows.items()):
        line(f"{subject:11} {rule:18} {level:3} {strength}", counts)
        totals[subject, strength] += counts
    for subject in judge.SUBJECTS:
        for strength in judge.STRENGTHS:
            if (subject, strength) in totals:
                line(f"{subject:11} {'all':18} {'':3} {strength}", totals[subject, strength])
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--no-names", action="store_true")
    parser.add_argument("--source", action="append", default=[])
    parser.add_argument("--lines", action="store_true")
    parser.add_argument("--wrong", type=int, default=0)
    args = parser.parse_args()
    pairs = {name: (old, new) for name, old, new in (text.split("=") for text in args.source)}
    truth = judge.Judge(args.old, args.new, judge.LineMap(pairs), not args.lines)
    with tempfile.TemporaryDirectory() as scratch:
        database = os.path.join(scratch, "match.db")
        subprocess.run([os.environ["TWINRUN"], "match", args.old, args.new, "-o", database]
                       + (["--no-names"] if args.no_names else []), check=True, stdout=subprocess.DEVNULL)
        rows, wrong = judge.judge(database, truth)
    print("\n".join(table(rows)))
    for subject, rule, level, strength, old, new in wrong[:args.wrong]:
        print(f"wrong {subject} {rule} {level} {strength} {old:#x} {new:#x}")


if __name__ == "__main__":
    main()

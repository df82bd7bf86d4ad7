#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Speed of computing values again, and of questions about them.

Records bzip2, gawk, sqlite3 and lua5.4 on the inputs of record.py (scaled to about 100 million
instructions), then computes each recording with generated code and with the reference interpreter in
interleaved rounds; the minimum of each counts. Then random questions to each: the last writers of
what 1000 instructions read, and 50 slices of at most 1000 instructions.

usage: regenerate.sh [--rounds N] [--only PROGRAM] [--questions N] [--slices N]
"""
import argparse
import os
import subprocess
import sys
import tempfile

from record import ROOT, TWINRUN, tuned_programs

BIN = os.environ.get("TWINRUN_BENCH_BIN", ROOT + "/build/release/bin")
MODES = ["state", "accesses", "registers", "accesses-reference"]
BARS = {"accesses": 50.0, "who": 0.2, "slice": 2.0, "memory": 1024.0}


def measure(recording, mode):
    out = subprocess.run([BIN + "/bench_regenerate", recording, mode], check=True, capture_output=True, text=True)
    instructions, seconds, checksum = out.stdout.split()
    return int(instructions), float(seconds), checksum


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only")
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--slices", type=int, default=50)
    args = parser.parse_args()
    missed = False
    with tempfile.TemporaryDirectory(prefix="twinrun-bench-") as tmp:
        programs = tuned_programs(tmp, 0.04)
        print(f"{'program':10}{'Minstr':>8}{'state':>8}{'access':>8}{'regs':>8}{'interp':>8}{'ratio':>7}"
              f"{'who ms':>9}{'p90':>8}{'max':>9}{'slice ms':>10}{'max':>9}{'MB':>6}")
        for name, command in programs.items():
            if name == "cc1" or (args.only and args.only != name):
                continue
            recording = f"{tmp}/{name}.twin"
            subprocess.run([TWINRUN, "record", "-q", "-o", recording, "--"] + command, cwd=tmp, check=False,
                           stdout=subprocess.DEVNULL)
            best, sums = {}, {}
            for _ in range(args.rounds):
                for mode in MODES:
                    instructions, seconds, checksum = measure(recording, mode)
                    best[mode] = min(best.get(mode, seconds), seconds)
                    sums[mode] = checksum
            if sums["accesses"] != sums["accesses-reference"]:
                sys.exit(f"{name}: the two engines disagree")
            speed = {mode: instructions / best[mode] / 1e6 for mode in MODES}
            out = subprocess.run([BIN + "/bench_queries", recording, str(args.questions), str(args.slices), "1"],
                                 check=True, capture_output=True, text=True).stdout.split()
            median, p90, most, slice_median, slice_most, memory = map(float, out)
            print(f"{name:10}{instructions / 1e6:8.0f}{speed['state']:8.0f}{speed['accesses']:8.0f}"
                  f"{speed['registers']:8.0f}{speed['accesses-reference']:8.0f}"
                  f"{speed['accesses'] / speed['accesses-reference']:7.1f}{median * 1e3:9.1f}{p90 * 1e3:8.0f}"
                  f"{most * 1e3:9.0f}{slice_median * 1e3:10.0f}{slice_most * 1e3:9.0f}{memory:6.0f}", flush=True)
            missed |= (speed["accesses"] < BARS["accesses"] or median > BARS["who"] or
                       slice_median > BARS["slice"] or memory > BARS["memory"])
    print("bars: 50 M instructions/s with accesses, who 200 ms, slice 2000 ms, 1024 MB: "
          + ("missed" if missed else "met"))
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Speed and memory of aligning two runs.

Records bzip2, gawk, sqlite3 and lua5.4 on the inputs of record.py twice, the second time with a byte
of the input changed in its middle, at about 500 million instructions (and at half of that), and aligns
both the two runs and the first one with itself. The other side of the ratio is reading and decoding
the blocks of both recordings without looking at them. Times are user and system seconds of the
process, the minimum of some rounds; blocks are those of both recordings.

usage: align.sh [--rounds N] [--only PROGRAM]
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

from record import ROOT, TWINRUN, tuned_programs

BIN = os.environ.get("TWINRUN_BENCH_BIN", ROOT + "/build/release/bin")
BAR = 100.0  # million blocks a second


def cpu(command):
    """CPU seconds and the most memory in MB of a command, and what it printed."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    out = process.stdout.read()
    _, _, usage = os.wait4(process.pid, 0)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, out.decode()


def change(directory, suffix):
    """Changes a byte in the middle of each input."""
    for name in os.listdir(directory):
        path = f"{directory}/{name}"
        if name.endswith(".twin") or not os.path.isfile(path) or os.path.getsize(path) < 1000:
            continue
        shutil.copy(path, path + suffix)
        with open(path, "r+b") as f:
            middle = os.path.getsize(path) // 2
            f.seek(middle)
            old = f.read(1)
            f.seek(middle)
            f.write(b"7" if old.isdigit() else bytes([old[0] ^ 1]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only")
    args = parser.parse_args()
    missed = False
    print(f"{'program':10}{'pair':9}{'Mblocks':>9}{'align s':>9}{'read s':>8}{'ratio':>7}{'Mblocks/s':>11}{'MB':>6}  aligned")
    for scale in (0.1, 0.2):
        with tempfile.TemporaryDirectory(prefix="twinrun-bench-") as tmp:
            programs = tuned_programs(tmp, scale)
            for name, command in programs.items():
                if name == "cc1" or (args.only and args.only != name):
                    continue
                a, b = f"{tmp}/{name}.a.twin", f"{tmp}/{name}.b.twin"
                record = [TWINRUN, "record", "-q", "--control-flow-only", "-o"]
                subprocess.run(record + [a, "--"] + command, cwd=tmp, check=False, stdout=subprocess.DEVNULL)
                change(tmp, ".old")
                subprocess.run(record + [b, "--"] + command, cwd=tmp, check=False, stdout=subprocess.DEVNULL)
                for old in [n for n in os.listdir(tmp) if n.endswith(".old")]:
                    os.replace(f"{tmp}/{old}", f"{tmp}/{old[:-4]}")
                for pair, other in (("itself", a), ("changed", b)):
                    best, read, memory = 1e9, 1e9, 0
                    for _ in range(args.rounds):
                        seconds, most, said = cpu([TWINRUN, "align", a, other])
                        best, memory = min(best, seconds), max(memory, most)
                        seconds, _, blocks = cpu([BIN + "/bench_blocks", a, other])
                        read = min(read, seconds)
                    blocks = int(blocks) / 1e6
                    share = said.splitlines()[1].split()[3] if len(said.splitlines()) > 1 else "?"
                    print(f"{name:10}{pair:9}{blocks:9.0f}{best:9.2f}{read:8.2f}{best / read:7.1f}{blocks / best:11.0f}"
                          f"{memory:6.0f}  {share}", flush=True)
                    missed |= scale == 0.2 and pair == "itself" and blocks / best < BAR
    print(f"bar: {BAR:.0f} million blocks a second of two runs that correspond: " + ("missed" if missed else "met"))
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Time and memory of explaining why two runs differ.

Records bzip2, gawk, sqlite3 and lua5.4 on the inputs of record.py at about 100 million instructions,
twice, the second time with a small change of the input that changes the output, and explains the
pairs. The other side of the ratio is aligning the same pair, interleaved; recording both stands beside
it. Wall and CPU seconds are the minimum of the rounds, memory is the most of them.

With --big the pairs have about a billion instructions and have to be explained at all.

usage: why.sh [--rounds N] [--only PROGRAM] [--big]
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile
import time

from record import TWINRUN, tuned_programs

BAR_SECONDS = 5.0
BAR_MB = 1000.0
# Of the inputs of record.py, so that each run has about 100 million instructions.
SCALES = {"bzip2": 0.06, "gawk": 0.035, "sqlite3": 0.03, "lua5.4": 0.035}
BIG = 10
BIG_MOST_SECONDS = 3600


def change(tmp, name):
    """A small difference in what the program reads."""
    path = f"{tmp}/" + {"bzip2": "text", "gawk": "text", "sqlite3": "q.sql", "lua5.4": "p.lua"}[name]
    with open(path, encoding="utf-8") as f:
        text = f.read()
    if name == "sqlite3":
        new = text.replace("'%77%'", "'%78%'")
    elif name == "lua5.4":
        new = text.replace("0.999", "0.998")
    else:
        # The last digit of a line in the middle.
        at = text.index("\n", len(text) // 2) - 1
        new = text[:at] + str((int(text[at]) + 1) % 10) + text[at + 1:]
    assert new != text
    with open(path, "w", encoding="utf-8") as f:
        f.write(new)


def measured(command, most):
    """Wall seconds, CPU seconds, peak memory in MB, status and output."""
    start = time.monotonic()
    process = subprocess.Popen(["timeout", str(most), *command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    out = process.stdout.read()
    _, status, use = os.wait4(process.pid, 0)
    return (time.monotonic() - start, use.ru_utime + use.ru_stime, use.ru_maxrss / 1024,
            os.waitstatus_to_exitcode(status), out.decode(errors="replace"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--only")
    parser.add_argument("--big", action="store_true")
    args = parser.parse_args()
    missed = []
    print(f"{'program':9}{'M instr':>9}{'record s':>10}{'align s':>9}{'why s':>8}{'CPU s':>8}{'ratio':>7}{'MB':>7}  answer")
    for name, scale in SCALES.items():
        if args.only and args.only != name:
            continue
        with tempfile.TemporaryDirectory(prefix="twinrun-bench-") as tmp:
            command = tuned_programs(tmp, scale * (BIG if args.big else 1))[name]
            record = 0.0
            for side in "ab":
                if side == "b":
                    change(tmp, name)
                start = time.monotonic()
                subprocess.run([TWINRUN, "record", "-q", "-o", f"{tmp}/{side}.twin", "--", *command], cwd=tmp,
                               check=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
                record += time.monotonic() - start
            pair = [f"{tmp}/a.twin", f"{tmp}/b.twin"]
            info = subprocess.run([TWINRUN, "info", "--json", pair[0]], check=True, capture_output=True).stdout
            most = BIG_MOST_SECONDS if args.big else 600
            align = wall = cpu = 1e9
            memory = 0.0
            for _ in range(1 if args.big else args.rounds):
                align = min(align, measured([TWINRUN, "align", *pair], most)[0])
                # Answers are kept beside the recordings.
                for kept in glob.glob(f"{tmp}/*.why-*"):
                    os.remove(kept)
                seconds, busy, megabytes, status, said = measured([TWINRUN, "why", *pair], most)
                wall, cpu, memory = min(wall, seconds), min(cpu, busy), max(memory, megabytes)
            lines = said.splitlines()
            answer = lines[2] if status in (0, 1) and len(lines) > 2 else f"status {status}"
            print(f"{name:9}{json.loads(info)['instructions'] / 1e6:9.0f}{record:10.1f}{align:9.2f}{wall:8.2f}{cpu:8.2f}"
                  f"{wall / align:7.1f}{memory:7.0f}  {answer[:90]}", flush=True)
            if status != 1 or (not args.big and (wall > BAR_SECONDS or memory > BAR_MB)):
                missed.append(name)
    bar = ("a pair of a billion instructions is explained" if args.big
           else f"{BAR_SECONDS:.0f} s and {BAR_MB:.0f} MB")
    print(f"bar: {bar}: " + (f"missed by {', '.join(missed)}" if missed else "met"))
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()

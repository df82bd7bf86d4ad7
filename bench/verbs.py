#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Is a verb slower than it was? Every verb that reads recordings, asked of two builds in one run.

The small pair is the demo's program; its questions are measured in instructions, as cachegrind counts them, which
other work on the machine does not change. The large pair is gawk at about 30 million instructions; its questions
are measured in CPU seconds (user and system), interleaved, the least of --rounds. A build is measured without what
earlier commands left (TWINRUN_CACHE=off) and, the second one, with what is known about the binaries (warm). Answers
that are kept beside the recordings are removed before each run.

Exit status 1: a verb of the second build takes more than --most times what it takes in the first one, and at least
a hundredth of a second more.

usage: verbs.py BEFORE AFTER [--rounds N] [--only REGEX] [--pair small|large] [--dir DIR]
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from record import tuned_programs
from tables import table
from why import change

EXAMPLE = pathlib.Path(__file__).resolve().parent.parent / "examples" / "csvsum"
LARGE = ("gawk", 0.0105)
LEAST_SECONDS = 0.01


def record_pair(twinrun, directory, pair):
    """The two recordings and a function of the program; what is there already is taken."""
    work = directory / pair
    work.mkdir(parents=True, exist_ok=True)
    paths = [str(work / f"{side}.twin") for side in "ab"]
    if pair == "small":
        program = work / "csvsum"
        if not program.exists():
            subprocess.run(["cc", "-g", "-O0", "-o", str(program), str(EXAMPLE / "csvsum.c")], check=True)
        commands = [[str(program), str(EXAMPLE / f"{name}.csv")] for name in ("good", "bad")]
    else:
        name, scale = LARGE
        commands = [tuned_programs(str(work), scale)[name]] * 2
    for side, (path, command) in enumerate(zip(paths, commands)):
        if pair == "large" and side == 1:
            change(str(work), LARGE[0])
        if not os.path.exists(path):
            subprocess.run([twinrun, "record", "-q", "--force", "-o", path, "--", *command], cwd=work, check=False,
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return paths, {"small": "sum_row", "large": "main"}[pair]


def questions(twinrun, paths, function):
    a, b = paths
    said = json.loads(subprocess.run([twinrun, "info", "--json", a], check=True, capture_output=True).stdout)
    steps = max(t["instructions"] for t in said["processes"][0]["threads"])
    late = str(steps * 3 // 4)
    return said["instructions"], [
        ["info", a], ["info", "--functions", a], ["info", "--operations", a],
        ["dump", "--blocks", "--limit", "100000", a], ["dump", "--events", "--limit", "100000", a],
        ["dump", "--syscalls", "--data", a], ["dump", "--functions", "--limit", "100000", a],
        ["dump", "--values", "--range", f"{late}..+10000", a],
        ["calls", a], ["calls", "--all-modules", "--no-values", a], ["calls", "--allocations", a],
        ["cfg", function, "--in", a], ["cfg", function, "--in", a, "--calls"],
        ["paths", a, "--hot", "--no-keep"], ["paths", a, b, "--diff", "--no-keep"], ["verify", a],
        ["export", a, "--format", "folded"], ["export", a, "--format", "perfetto", "--limit", "500"],
        ["export", a, b, "--format", "sarif"],
        ["index", "--at", late, a], ["slice", "--at", late, a],
        ["who", "--at", late, "--what", "rsp", "--depth", "4", a],
        ["mem", "--at", late, a, b], ["mem", "--every-divergence", "--divergences", "2", a, b],
        ["align", a, b], ["align", "--regions", a, b], ["diff", "--stat", a, b],
        ["why", a, b], ["why", "--enhance", "none", a, b], ["show", "D1", a, b],
        ["report", a, b, "-o", "unused", "--json"],
    ]


def forget(paths):
    """Removes what an earlier command kept beside the recordings."""
    for kept in pathlib.Path(paths[0]).parent.glob("*.twin.*"):
        kept.unlink()


def environment(cache):
    env = dict(os.environ, XDG_CACHE_HOME=cache or "/nonexistent", LC_ALL="C")
    env["TWINRUN_CACHE"] = "" if cache else "off"
    return env


def seconds(command, cache):
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env=environment(cache))
    _, status, use = os.wait4(process.pid, 0)
    return use.ru_utime + use.ru_stime, os.waitstatus_to_exitcode(status)


def instructions(command, cache):
    with tempfile.NamedTemporaryFile(prefix="twinrun-verbs-") as log:
        done = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null",
                               f"--log-file={log.name}", *command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, env=environment(cache), check=False)
        counted = re.search(r"I\s+refs:\s+([\d,]+)", pathlib.Path(log.name).read_text(encoding="utf-8"))
    return int(counted[1].replace(",", "")), done.returncode


def measure(sides, question, paths, pair, rounds, cache):
    """Costs of (program, cache) sides, in their order, and the exit statuses."""
    best, statuses = [float("inf")] * len(sides), [None] * len(sides)
    for _ in range(rounds if pair == "large" else 1):
        for i, (program, warm) in enumerate(sides):
            forget(paths)
            cost, statuses[i] = (seconds if pair == "large" else instructions)([program, *question], warm and cache)
            best[i] = min(best[i], cost)
    return best, statuses


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=os.path.abspath)
    parser.add_argument("after", type=os.path.abspath)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", help="regular expression: only questions that match")
    parser.add_argument("--pair", choices=["small", "large"])
    parser.add_argument("--most", type=float, default=1.03)
    parser.add_argument("--dir", help="where the recordings are kept")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="twinrun-verbs-") as tmp:
        slow = [verb for pair in ([args.pair] if args.pair else ["small", "large"]) for verb in run(args, pair, tmp)]
    print(f"\nbar: no verb takes more than {args.most:.2f} times as much: "
          + (f"missed by {'; '.join(slow)}" if slow else "met"))
    return 1 if slow else 0


def run(args, pair, tmp):
    paths, function = record_pair(args.before, pathlib.Path(args.dir or tmp), pair)
    length, asked = questions(args.before, paths, function)
    unit, scale, least = ("M instructions", 1e6, 0) if pair == "small" else ("CPU s", 1, LEAST_SECONDS)
    rows, slow = [], []
    for question in asked:
        words = [w for w in question if w not in paths]
        name = f"{' '.join(words)} {' '.join('ab'[paths.index(w)].upper() for w in question if w in paths)}"
        if args.only and not re.search(args.only, name):
            continue
        # The first one fills the cache.
        seconds([args.after, *question], tmp)
        sides = [(args.before, False), (args.after, False), (args.after, True)]
        cost, statuses = measure(sides, question, paths, pair, args.rounds, tmp)
        if len(set(statuses)) > 1 or statuses[0] not in (0, 1):
            name += f" (exit statuses {statuses[0]}, {statuses[1]})"
        rows.append([name, *(f"{c / scale:.{1 if pair == 'small' else 3}f}" for c in cost),
                     f"{cost[1] / cost[0]:.3f}", f"{cost[2] / cost[0]:.3f}"])
        print("  ".join(rows[-1]), file=sys.stderr, flush=True)
        if cost[1] > cost[0] * args.most and cost[1] - cost[0] >= least:
            slow.append(f"{name} ({pair}, {cost[1] / cost[0]:.2f})")
    table(f"{pair} pair, {length / 1e6:.1f} million instructions a run; {unit}",
          ["question", "before", "after", "after, warm", "after / before", "warm / before"], rows)
    return slow


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Asks `twinrun why` about known bugs and judges the answers.

For each case and build both runs are recorded; that they behave as the case says is checked again, now under
recording. Then `why GOOD BAD --json` is asked, with and without the normalization of addresses, and judge.py looks
for the cause. Beside it stands the naive method: the lines that only one of the runs executed.

By default a few cases are drawn by the commit, or by TWINRUN_TEST_SEED, and built with gcc; a sample fails when it has
lost two rows of what is known to be found (reached.py). TWINRUN_TEST_ALL=1 takes all cases, and fails below the floors.

Where the output is wrong, `why` is told the first byte that is: two inputs give different outputs, and which of the
differences is the wrong one only somebody knows who knows what is right. --without-hint does not tell it.

usage: run.py [-C CACHE] [-b BUILD] [-o ROWS.json] [--update] [--record-only] [--without-hint] [CASE...]

CACHE is truth below TWINRUN_BUILD unless told. --update stores what these rows reach. --record-only asks nothing: it
says what was recorded.
"""
import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time

import judge
import reached
import truth

TWINRUN = os.path.abspath(os.environ.get("TWINRUN", os.path.join(truth.HERE, "../../../build/release/bin/twinrun")))
ALL = os.environ.get("TWINRUN_TEST_ALL") == "1"
SYMBOLIZER = "llvm-symbolizer-19"
SAMPLE = 3
ANSWER_SECONDS = 600
MOST_INSTRUCTIONS = 20_000_000
TRIES = 20


def twinrun_json(arguments, statuses=(0, 1)):
    done = subprocess.run([TWINRUN] + arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                          timeout=ANSWER_SECONDS)
    if done.returncode not in statuses:
        raise truth.Failure(f"twinrun {' '.join(arguments)}: status {done.returncode}: "
                            + done.stderr.decode(errors="replace").strip()[-500:])
    return json.loads(done.stdout)


def interrupt(child):
    """As Ctrl-C does: the program dies of it, and the recording is finished. One that comes too early is lost."""
    for _ in range(60):
        os.killpg(child.pid, signal.SIGINT)
        try:
            child.wait(1)
            return
        except subprocess.TimeoutExpired:
            pass
    os.killpg(child.pid, signal.SIGKILL)


def record_once(case, side, program, directory, path, seconds):
    args, stdin, environment = truth.prepare_run(case, side, directory)
    command = [TWINRUN, "record", "-q", "--force", "-o", path, "--", program] + args
    environment["HOME"] = os.path.dirname(path)
    seen = truth.behave(program, command, stdin, environment, directory, seconds, interrupt)
    if not os.path.exists(path):
        raise truth.Failure(f"{case.name}: the {side} run left no recording: " + seen.output[-500:].decode(errors="replace"))
    if seen.status is not None and seen.status > 128:
        seen.status = 128 - seen.status
    return seen, twinrun_json(["info", "--json", path])["instructions"]


def record_hang(case, program, directory, path, good):
    """Records a run that does not end: well into its loop, but not for long. The time is found by bisection."""
    low, high, seconds = 0.0, None, good[2]
    for _ in range(TRIES):
        seen, instructions = record_once(case, "bad", program, directory, path, seconds)
        if seen.status is not None:
            break
        if instructions < 1.5 * good[1] + 1_000_000:
            low = seconds
        elif instructions > MOST_INSTRUCTIONS:
            high = seconds
        else:
            break
        seconds = (low + high) / 2 if high else 1.3 * seconds
    return seen, instructions


def record(case, build, side, program, directory, path, good):
    """Behaviour, instructions and seconds. good: those of the good run."""
    begin = time.monotonic()
    if side == "bad" and case.fails(build)["how"] == "hang":
        seen, instructions = record_hang(case, program, directory, path, good)
    else:
        seen, instructions = record_once(case, side, program, directory, path, truth.RECORDED_SECONDS)
    return seen, instructions, time.monotonic() - begin


def executed_lines(paths, program):
    """The source lines that each run executed in the program itself, those that code was inlined from included: sets of
    (path below the source tree, line)."""
    addresses = []
    for path in paths:
        rows = twinrun_json(["info", "--instructions", "--json", path])["instructions"]
        addresses.append({row["address"] for row in rows if row["module"] == program})
    every = sorted(set.union(*addresses))
    done = subprocess.run([SYMBOLIZER, "--obj=" + program, "--inlines", "--functions=none", "--relativenames",
                           "--output-style=JSON"], input="".join(f"{address:#x}\n" for address in every).encode(),
                          stdout=subprocess.PIPE, check=True)
    places = {}
    for address, text in zip(every, done.stdout.decode(errors="replace").splitlines(), strict=True):
        places[address] = {(os.path.normpath(frame["FileName"]), frame["Line"]) for frame in json.loads(text)["Symbol"]
                           if frame["Line"] and not frame["FileName"].startswith("/")}  # those of the system are absolute
    return [set().union(*(places[address] for address in each)) for each in addresses]


def measure(case, build, packages, cache, only_record, without_hint):
    """The row of one case in one build."""
    program = truth.build_case(case, packages, build, cache)
    unpatched = truth.build_package(case.package, packages[case.package], build, cache)[1]
    roots = truth.root_lines(case, packages, cache, build)
    directory = os.path.join(cache, "run", case.name)
    stored = os.path.join(cache, "recordings", f"{case.name}-{build}")
    shutil.rmtree(stored, ignore_errors=True)
    os.makedirs(stored)
    row = {"case": case.name, "build": build, "kinds": case.kinds, "omission": case.omission}
    paths, good = {}, None
    for side in ("good", "bad"):
        paths[side] = os.path.join(stored, side + ".twin")
        reference = truth.run_natively(case, side, unpatched, directory)
        seen, row[side + "_instructions"], seconds = record(case, build, side, program, directory,
                                                            paths[side], good)
        trouble = truth.judge_behaviour(case, build, side, seen, reference)
        if trouble:
            raise truth.Failure(f"recorded, {trouble}")
        good = good or (seen, row["good_instructions"], seconds)
        row[side] = str(seen)
    good_lines, bad_lines = executed_lines(paths.values(), program)
    row |= judge.judge_naive(good_lines, bad_lines, roots)
    row["executed"] = any(judge.is_root({"file": path, "line": line}, roots) for path, line in good_lines | bad_lines)
    if not only_record:
        ask = ["why", paths["good"], paths["bad"], "--json"]
        wrong = None if without_hint else truth.wrong_byte(case, build, program, unpatched, directory)
        ask += ["--wrong", wrong] if wrong else []
        begin = time.monotonic()
        answer = twinrun_json(ask)
        row["seconds"] = round(time.monotonic() - begin, 2)
        row |= judge.judge(answer, roots, twinrun_json(ask + ["--no-normalization"])) | {"told": wrong}
    shutil.rmtree(stored)
    return row


def show(row, only_record):
    text = f"{row['case']:28} {row['build']:9}"
    if only_record:
        text += f" {row['good_instructions']:>10,} {row['bad_instructions']:>10,}  {row['good']} / {row['bad']:9}"
    else:
        text += (f" {row['basic']:>6} {row['without']:>6} {row['nodes'] + row['left_out']:>6} {row['rank'] or '-':>5}"
                 f"  {'yes' if row['found'] else 'NO':5}"
                 f" {'yes' if row['first'] else 'NO':5} {row['seconds']:>7}")
    return text + f" {row['naive']:>6} {'yes' if row['naive_found'] else 'no':3} {'' if row['executed'] else 'line not executed'}"


def summary(rows, sampled, known):
    """Prints what the rows come to; returns what is wrong about that."""
    sums = judge.totals(rows)
    for name in ("O0", "O2", "first lines"):
        if sums[name] is not None:
            print(f"{name:18} {sums[name]:.0%}, of all at least {judge.FLOORS[name]:.0%}; wanted {judge.WANTED[name]:.0%}")
    print(f"{'median nodes':18} {sums['median nodes']:g}, at most {judge.MEDIAN_NODES}; "
          f"without normalization {sums['median without']:g}")
    print(f"{'naive method':18} median {sums['median naive']:g} lines, the cause is among them in {sums['naive share']:.0%}")
    for row in rows:
        if not row["found"] or not row["first"]:
            how = f"not among the {row['nodes']} lines shown, {row['left_out']} left out" if not row["found"] else \
                f"not in the first {judge.ANSWER_LINES} lines of the answer, line {row['rank']} of the graph"
            print(f"missed: {row['case']} {row['build']}: {row['result']}, {how}")
    lost, fallen, gained = reached.changes(rows, known)
    for word, texts in (("warning: lost", lost), ("not in the first lines any more", fallen), ("better", gained)):
        for text in texts:
            print(f"{word}: {text}")
    return reached.too_much(lost) if sampled else judge.below_floors(rows)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-C", dest="cache")
    parser.add_argument("-b", dest="builds", action="append", choices=truth.BUILDS)
    parser.add_argument("-o", dest="rows")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--record-only", action="store_true")
    parser.add_argument("--without-hint", action="store_true")
    parser.add_argument("cases", nargs="*")
    arguments = parser.parse_args()
    if not os.access(TWINRUN, os.X_OK):
        raise truth.Failure(f"{TWINRUN} cannot be run; TWINRUN names another one")
    packages, cache = truth.load_packages(), truth.cache_directory(arguments.cache)
    cases = truth.load_cases(arguments.cases)
    sampled = not ALL and not arguments.cases
    builds = arguments.builds or (reached.SAMPLED_BUILDS if sampled else truth.BUILDS)
    known = reached.load()
    if sampled:
        seed = reached.seed()
        cases = reached.draw(cases, known, builds, SAMPLE, seed)
        print(f"{len(cases)} cases, drawn by TWINRUN_TEST_SEED={seed}")
    print(f"{'case':28} {'build':9} "
          + ("instructions good, bad; how they end; naive lines, cause among them" if arguments.record_only else
             " basic  plain    all  rank  found first seconds  naive cause"), flush=True)
    rows, wrong = [], []
    for case in cases:
        for build in builds:
            if case.silent(build):
                print(f"{case.name:28} {build:9} does not show: {case.silent(build)}")
                continue
            try:
                rows.append(measure(case, build, packages, cache, arguments.record_only, arguments.without_hint))
                print(show(rows[-1], arguments.record_only), flush=True)
            except (truth.Failure, judge.BadAnswer, KeyError, ValueError, subprocess.TimeoutExpired) as failure:
                wrong.append(f"{case.name} {build}: {type(failure).__name__}: {failure}")
                print(wrong[-1], flush=True)
    if arguments.rows:
        with open(arguments.rows, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
    if arguments.record_only:
        wrong += [f"{row['case']} {row['build']}: more than {MOST_INSTRUCTIONS:,} instructions" for row in rows
                  if max(row["good_instructions"], row["bad_instructions"]) > MOST_INSTRUCTIONS]
    elif rows:
        wrong += summary(rows, sampled, known)
        if arguments.update:
            reached.store(reached.updated(known, rows))
    if wrong or not rows:
        truth.die("\n".join(wrong) or "nothing was judged")


if __name__ == "__main__":
    truth.run_main(main)

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Asks `twinrun why` about the bugs of the second truth set and judges what it prints.

For each case and build both runs are recorded, and found to behave as the case says. Then `why GOOD BAD` is asked, with no
flag and no hint, and judge.py looks for the cause in the text.

By default one case is drawn by the commit, or by TWINRUN_TEST_SEED; a sample fails when it has lost two rows of what is
known to be found (../why/reached.py, reached.json). TWINRUN_TEST_ALL=1 takes all cases, and fails below the floors.

usage: run.py [-C CACHE] [-b BUILD] [--all] [-o ROWS.json [--go-on]] [--keep DIRECTORY] [--update] [--first] [CASE...]

CACHE is truth below TWINRUN_BUILD unless told. --all: the builds with clang too. -o stores the rows as they come; --go-on
takes those that are there already instead of measuring them again. --keep stores the answers. --update stores what
these rows reach. --first judges the cases of the first set instead, and tells beside it what its own judge
says of them; it has no floors.
"""
import argparse
import json
import os
import subprocess
import time

import bugs
import judge
import reached
import recording
import truth
from why import judge as first_judge

SAMPLE = 1
KNOWN = os.path.join(bugs.HERE, "reached.json")


def given(case, side, directory, made):
    """What a run of the case is given, and the files that it made, which a later process of it may read."""
    args, stdin, environment = truth.prepare_run(case, side, directory)
    files = {name: content for name, content in made.items() if content is not None}
    for name in os.listdir(directory):
        with open(os.path.join(directory, name), "rb") as file:
            files[name] = file.read()
    return judge.Inputs(args, files[os.path.basename(stdin)] if stdin else None, files, environment)


def measure(case, build, packages, cache, arguments):
    """The row of one case in one build."""
    recorded = recording.Recorded(case, build, packages, cache)
    inputs = [given(case, side, recorded.directory, recorded.made[side]) for side in ("good", "bad")]
    sources = {os.path.basename(path) for path in recorded.executed.functions}
    begin = time.monotonic()
    text = recording.ask(["why", recorded.paths["good"], recorded.paths["bad"]]).decode(errors="replace")
    row = recorded.row | {"seconds": round(time.monotonic() - begin, 2)}
    row |= judge.judge(text, recorded.roots, recorded.executed.function, sources.__contains__, inputs,
                       "misuse" in case.data.get("properties", []))
    row |= {"real": case.data.get("real"), "properties": case.data.get("properties")}
    if arguments.first:
        asked = recorded.ask_json(case, build)
        old = first_judge.judge(asked["answer"], recorded.roots, asked["plain"])
        row |= {"old found": old["found"], "old first": old["first"]}
    if arguments.keep:
        os.makedirs(arguments.keep, exist_ok=True)
        with open(os.path.join(arguments.keep, f"{case.name}-{build}.txt"), "w", encoding="utf-8") as file:
            file.write(text)
    recorded.remove()
    return row


def load_rows(arguments):
    """{(case, build): row} of a run that this one goes on with."""
    if not arguments.go_on or not arguments.rows or not os.path.exists(arguments.rows):
        return {}
    with open(arguments.rows, encoding="utf-8") as file:
        return {(row["case"], row["build"]): row for row in json.load(file)}


def store_rows(arguments, rows):
    if arguments.rows:
        with open(arguments.rows + ".new", "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
        os.rename(arguments.rows + ".new", arguments.rows)


def word(value):
    return "yes" if value else "NO"


def show(row):
    text = (f"{row['case']:26} {row['build']:9} {row['lines']:>5} {row['rank'] or '-':>5}  {word(row['found']):5}"
            f" {word(row['first']):5} {word(row['function']):8} {row['headline']:10} {row['seconds']:>7}")
    return text + (f"  {word(row['old found'])}, {word(row['old first'])}" if "old found" in row else "")


def summary(rows):
    """Prints what the rows come to."""
    for level, shares in judge.totals(rows).items():
        for name in judge.SUMS:
            floor = judge.FLOORS[level].get(name)
            print(f"{level} {name:16} {shares[name]:.0%}" + (f", of all at least {floor:.0%}" if floor is not None else "")
                  + f"; wanted {judge.WANTED[level][name]:.0%}")
        for name in ("old found", "old first"):
            counted = [row for row in rows if name in row and row["build"].endswith(level)]
            if counted:
                print(f"{level} {name:16} {sum(row[name] for row in counted) / len(counted):.0%}, by the first judge")
    for row in rows:
        if row["headline"] != "meaning":
            print(f"{row['headline']}: {row['case']} {row['build']}: {row['said']}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-C", dest="cache")
    parser.add_argument("-b", dest="builds", action="append", choices=truth.BUILDS)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("-o", dest="rows")
    parser.add_argument("--go-on", action="store_true")
    parser.add_argument("--keep")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--first", action="store_true")
    parser.add_argument("cases", nargs="*")
    arguments = parser.parse_args()
    recording.check_twinrun()
    where = truth.HERE if arguments.first else bugs.HERE
    packages, cache = truth.load_packages(where), truth.cache_directory(arguments.cache)
    cases, builds = truth.load_cases(arguments.cases, where), arguments.builds or bugs.builds(arguments.all)
    sampled = not recording.ALL and not arguments.cases and not arguments.first
    known = reached.load(KNOWN)
    if sampled:
        seed = reached.seed()
        cases = reached.draw(cases, known, builds, SAMPLE, seed)
        print(f"{len(cases)} cases, drawn by TWINRUN_TEST_SEED={seed}")
    print(f"{'case':26} {'build':9} lines  rank  found first function headline   seconds"
          + ("  by the first judge: found, first" if arguments.first else ""), flush=True)
    rows, wrong, there = [], [], load_rows(arguments)
    for case in cases:
        for build in builds:
            if case.silent_recorded(build):
                print(f"{case.name:26} {build:9} does not show: {case.silent_recorded(build)}")
                continue
            try:
                rows.append(there.get((case.name, build)) or measure(case, build, packages, cache, arguments))
                print(show(rows[-1]), flush=True)
                store_rows(arguments, rows)
            except (truth.Failure, first_judge.BadAnswer, KeyError, ValueError, subprocess.TimeoutExpired) as failure:
                wrong.append(f"{case.name} {build}: {type(failure).__name__}: {failure}")
                print(wrong[-1], flush=True)
    if rows:
        summary(rows)
    if rows and not arguments.first:
        lost, fallen, gained = reached.changes(rows, known)
        for said, texts in (("warning: lost", lost), ("not in the first ten any more", fallen), ("better", gained)):
            for text in texts:
                print(f"{said}: {text}")
        if sampled:
            wrong += reached.too_much(lost)
        elif not arguments.cases:
            wrong += judge.below_floors(rows)
        if arguments.update:
            reached.store(reached.updated(known, rows), KNOWN)
    if wrong or not rows:
        truth.die("\n".join(wrong) or "nothing was judged")


if __name__ == "__main__":
    truth.run_main(main)

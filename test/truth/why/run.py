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
import subprocess

import judge
import reached
import recording
import truth

SAMPLE = 3


def measure(case, build, packages, cache, only_record, without_hint):
    """The row of one case in one build."""
    recorded = recording.Recorded(case, build, packages, cache)
    row, roots = recorded.row, recorded.roots
    good_lines, bad_lines = recorded.executed.lines
    row |= judge.judge_naive(good_lines, bad_lines, roots)
    row["executed"] = any(judge.is_root({"file": path, "line": line}, roots) for path, line in good_lines | bad_lines)
    if not only_record:
        asked = recorded.ask_json(case, build, without_hint)
        row |= judge.judge(asked["answer"], roots, asked["plain"]) | {"told": asked["told"], "seconds": asked["seconds"]}
    recorded.remove()
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
    recording.check_twinrun()
    packages, cache = truth.load_packages(), truth.cache_directory(arguments.cache)
    cases = truth.load_cases(arguments.cases)
    sampled = not recording.ALL and not arguments.cases
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
        wrong += [f"{row['case']} {row['build']}: more than {recording.MOST_INSTRUCTIONS:,} instructions" for row in rows
                  if max(row["good_instructions"], row["bad_instructions"]) > recording.MOST_INSTRUCTIONS]
    elif rows:
        wrong += summary(rows, sampled, known)
        if arguments.update:
            reached.store(reached.updated(known, rows))
    if wrong or not rows:
        truth.die("\n".join(wrong) or "nothing was judged")


if __name__ == "__main__":
    truth.run_main(main)

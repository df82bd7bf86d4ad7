#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fetches, patches and builds the programs of the truth set, and checks that each bug shows as its case says.

The good run must do what the unpatched program does, the bad run must fail as stated. A build in which the bug does
not show is named in the case with the reason; one that is named and shows it all the same is an error too.

usage: build.py [-C CACHE] [-b BUILD] [--fetch] [CASE...]

CACHE is truth below TWINRUN_BUILD unless told; --fetch only fetches the sources. The second set (../why2) is built by
the same code.
"""
import argparse
import collections
import os

import truth


def check(case, packages, build, cache):
    """What the two runs do, and what is wrong or None."""
    program = truth.build_case(case, packages, build, cache)
    unpatched = truth.build_package(case.package, packages[case.package], build, cache)[1]
    directory = os.path.join(cache, "run", case.name)
    seen, wrong = {}, []
    for side in ("good", "bad"):
        seen[side] = truth.run_natively(case, side, program, directory)
        trouble = truth.judge_behaviour(case, build, side, seen[side],
                                        truth.run_natively(case, side, unpatched, directory))
        wrong += [trouble] if trouble else []
    text = f"{seen['good']} / {seen['bad']}"
    if case.silent(build):
        return text, None if wrong else "the case says that the bug does not show in this build, but it does"
    return text, "; ".join(wrong) or None


def check_fields(case, packages, cache):
    """Complains about a case that does not say what it has to."""
    data = case.data
    for field in ("package", "kinds", "omission", "origin", "why", "good", "bad", "fails", "root"):
        if not data.get(field) and data.get(field) is not False:
            raise truth.Failure(f"{case.name}: the field {field} is missing")
    for kind in case.kinds:
        if kind not in truth.KINDS:
            raise truth.Failure(f"{case.name}: unknown kind {kind}")
    for build in list(data.get("silent", {})) + [build for root in data["root"] for build in root.get("builds", [])]:
        if build not in truth.BUILDS:
            raise truth.Failure(f"{case.name}: unknown build {build}")
    for path, _ in truth.root_lines(case, packages, cache):
        if path not in case.patched:
            raise truth.Failure(f"{case.name}: the patch does not touch {path}, where the cause is said to be")


def main(where=truth.HERE, usual=truth.BUILDS, check_more=None):
    """Builds and checks the set in this directory; usual: the builds unless told; check_more: of a case, before it is
    built."""
    parser = argparse.ArgumentParser()
    parser.add_argument("-C", dest="cache")
    parser.add_argument("-b", dest="builds", action="append", choices=truth.BUILDS)
    parser.add_argument("--fetch", action="store_true")
    parser.add_argument("cases", nargs="*")
    arguments = parser.parse_args()
    packages, cache = truth.load_packages(where), truth.cache_directory(arguments.cache)
    cases = truth.load_cases(arguments.cases, where)
    if arguments.fetch:
        for name in sorted({case.package for case in cases}):
            print(truth.fetch(name, packages[name], cache))
        return
    wrong = 0
    builds = arguments.builds or usual
    print(f"{'case':28} {'build':9} good / bad")
    for case in cases:
        try:
            check_fields(case, packages, cache)
            if check_more:
                check_more(case, packages)
        except truth.Failure as failure:
            print(failure)
            wrong += 1
            continue
        for build in builds:
            try:
                text, trouble = check(case, packages, build, cache)
            except truth.Failure as failure:
                text, trouble = "", str(failure)
            note = f"does not show: {case.silent(build)}" if case.silent(build) else ""
            print(f"{case.name:28} {build:9} {text:22} {note}" + (f"WRONG: {trouble}" if trouble else ""), flush=True)
            wrong += trouble is not None
    kinds = collections.Counter(kind for case in cases for kind in case.kinds)
    print(f"{len(cases)} cases, {sum(case.omission for case in cases)} omissions; "
          + ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())))
    if wrong:
        truth.die(f"{wrong} wrong")


if __name__ == "__main__":
    truth.run_main(main)

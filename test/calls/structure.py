#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the tree of calls with what instrumented programs tell about themselves.

Each function tells its address and how deep it is; `twinrun calls` must have the same calls, in the
same order and at the same depth, in each thread and on each stack; with values and without.
"""
import json
import os
import subprocess
import sys
import tempfile

TWINRUN = os.environ["TWINRUN"]
HERE = os.path.dirname(os.path.abspath(__file__))


def compare(label, trace, told):
    """Per thread: the addresses and depths in the order of calls."""
    out = subprocess.run([TWINRUN, "calls", "--json", "--all-modules", "--limit", "0", "--fold", "0", "--no-values",
                          trace], stdout=subprocess.PIPE, check=True)
    rows = json.loads(out.stdout)["rows"]
    instrumented = {address for events in told.values() for _, address in events}
    depth = []
    found = {}
    for row in rows:
        parent = row["parent"]
        # A stack that was switched to counts its own depth.
        around = 0 if parent is None or row["kind"] == "stack" else depth[parent]
        is_own = row["address"] in instrumented
        depth.append(around + is_own)
        if is_own:
            found.setdefault(int(row["position"].split(".")[1]) - 1, []).append(
                (int(row["position"].split(".")[2]), around, row["address"]))
    wrong = 0
    for thread, events in sorted(told.items()):
        # By step: rows of other stacks hang elsewhere in the tree.
        got = [(around, address) for _, around, address in sorted(found.get(thread, []))]
        if got == events:
            print(f"ok   {label} thread {thread}: {len(events)} calls")
            continue
        wrong += 1
        at = next((i for i, (a, b) in enumerate(zip(got, events)) if a != b), min(len(got), len(events)))
        print(f"FAIL {label} thread {thread}: {len(got)} calls, {len(events)} told; first difference at {at}: "
              f"{got[at:at + 3]} instead of {events[at:at + 3]}")
    own = [row["ends"] for row in rows if row["address"] in instrumented]
    return wrong, own.count("unwound"), own.count("return")


def main():
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="twinrun-calls-") as tmp:
        for source, compiler in (("structure.c", "gcc"), ("exceptions.cc", "g++")):
            for optimize in ("-O0", "-O2"):
                program = f"{tmp}/{source}{optimize}"
                subprocess.run([compiler, "-g", optimize, "-finstrument-functions", "-pthread", "-o", program,
                                f"{HERE}/programs/{source}"], check=True)
                for extra in ([], ["--control-flow-only"]):
                    trace = tmp + "/t.twin"
                    run = subprocess.run([TWINRUN, "record", "-q", "--force", *extra, "-o", trace, "--", program],
                                         stdout=subprocess.PIPE, check=False)
                    told = {}
                    leaves = 0
                    for line in run.stdout.decode().splitlines():
                        what, thread, depth, address = line.split()
                        leaves += what == "leave"
                        if what == "enter":
                            told.setdefault(int(thread), []).append((int(depth), address))
                    failed, unwound, returned = compare(f"{source} {optimize} {' '.join(extra)}", trace, told)
                    wrong += failed
                    # What an exception unwinds tells that it is left, what longjmp leaves does not.
                    if returned + (unwound if source == "exceptions.cc" else 0) != leaves or unwound == 0:
                        print(f"FAIL {returned} returned, {unwound} unwound, {leaves} told")
                        wrong += 1
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

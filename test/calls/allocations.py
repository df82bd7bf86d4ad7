#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the allocations of recordings with what the programs themselves tell.

Under a preloaded library that writes down every call, real programs must show the same allocations
and frees in the same order; without it, the same sizes. A program that tells its own calls must
agree with its recording when it is linked dynamically and statically, and with an allocator of its
own.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

TWINRUN = os.environ["TWINRUN"]
HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = {
    "lua5.4": ["lua5.4", "-e", "local t = {} for i = 1, 300 do t[i] = tostring(i) .. 'x' end print(#table.concat(t))"],
    "sqlite3": ["sqlite3", ":memory:", "create table t(a, b); insert into t values (1, 'x'), (2, 'y'); "
                "select group_concat(b) from t"],
    "gawk": ["gawk", "BEGIN { for (i = 0; i < 200; i++) n[i % 17] = n[i % 17] i; print length(n) }"],
    "c++": ["c++filt", "_ZNSt6vectorIiSaIiEE9push_backERKi", "_Z1fv"],
}


def record(tmp, command):
    trace = tmp + "/t.twin"
    run = subprocess.run([TWINRUN, "record", "-q", "--force", "-o", trace, "--", *command], cwd=tmp,
                         stdout=subprocess.PIPE, check=False)
    return trace, run.stdout.decode(errors="replace")


def allocations(trace, *flags):
    out = subprocess.run([TWINRUN, "calls", "--allocations", "--json", *flags, trace], stdout=subprocess.PIPE,
                         check=True)
    return json.loads(out.stdout)


def sequences(report, keep=lambda site: True):
    """Allocations in their order, and addresses in the order in which they were freed."""
    rows = [r for r in report["rows"] if keep(report["sites"][r["site"]])]
    made = [(int(r["address"], 16), r["size"]) for r in rows]
    ends = [r for r in rows if r["freed_block"] is not None]
    ends.sort(key=lambda r: r["freed_block"])
    return made, [int(r["address"], 16) for r in ends]


def told(lines):
    made, freed, live = [], [], set()
    for line in lines:
        kind, address, size = line.split()
        if kind == "a":
            made.append((int(address, 16), int(size, 16)))
            live.add(int(address, 16))
        elif int(address, 16) in live:
            freed.append(int(address, 16))
            live.discard(int(address, 16))
    return made, freed


def compare(label, got, want):
    if got == want and want[0]:
        print(f"ok   {label}: {len(want[0])} allocations, {len(want[1])} freed")
        return 0
    print(f"FAIL {label}: {len(got[0])} allocations, {len(got[1])} freed; told {len(want[0])}, {len(want[1])}")
    for mine, theirs in zip(got, want):
        at = next((i for i, (a, b) in enumerate(zip(mine, theirs)) if a != b), min(len(mine), len(theirs)))
        print(f"     first difference at {at}: {mine[at:at + 2]} instead of {theirs[at:at + 2]}")
    return 1


def main():
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="twinrun-alloc-") as tmp:
        shim = tmp + "/shim.so"
        subprocess.run(["gcc", "-O2", "-fPIC", "-shared", "-fno-builtin", "-o", shim, f"{HERE}/programs/shim.c"],
                       check=True)
        for name, command in PROGRAMS.items():
            if shutil.which(command[0]) is None:
                print(f"skip {name}: not installed")
                continue
            log = tmp + "/allocations.log"
            if os.path.exists(log):
                os.remove(log)
            # The recorder itself must not see the library: env(1) becomes the program, process 2.
            trace, _ = record(tmp, ["env", "LD_PRELOAD=" + shim, *command])
            with open(log, encoding="ascii") as f:
                want = told(f.read().splitlines())
            wrong += compare(f"{name} interposed", sequences(allocations(trace, "--process", "2")), want)
            # An environment of the same size: programs copy it.
            trace, _ = record(tmp, ["env", "LD_PRELOAX=" + shim, *command])
            sizes = [size for _, size in sequences(allocations(trace, "--process", "2"))[0]]
            same = sizes == [size for _, size in want[0]]
            print(f"{'ok  ' if same else 'FAIL'} {name}: {len(sizes)} sizes without it")
            wrong += not same
        for how in (["-O0"], ["-O2"], ["-O2", "-static"]):
            program = tmp + "/allocates"
            subprocess.run(["g++", "-g", "-fno-builtin", *how, "-o", program, f"{HERE}/programs/allocates.cc"],
                           check=True)
            trace, out = record(tmp, [program])
            report = allocations(trace, "--allocator", "pool_get:2:pool_put:2")
            own = sequences(report, lambda site: site.get("file", "").endswith("allocates.cc"))
            wrong += compare("allocates " + " ".join(how), own, told(out.splitlines()))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

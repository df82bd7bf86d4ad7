#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Histories of memory that are kept are those that a walk makes.

Real programs, and one that allocates in every way: with threads, in a forked child that has blocks of its parent, with
jumps and exceptions out of allocators, linked statically, recorded only from a function on, and cut. Of each the log of
allocations is asked for by a walk and from the file, which has to say the same; and the file that `record` makes has to
be the file, byte for byte, that `why` makes.
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

TWINRUN = os.environ["TWINRUN"]
HERE = os.path.dirname(os.path.abspath(__file__))
REAL = {
    "lua5.4": ["lua5.4", "-e", "local t = {} for i = 1, 3000 do t[i % 99] = tostring(i) .. 'x' end print(#t)"],
    "perl": ["perl", "-e", "my %h; $h{$_ % 97} .= join ',', map { $_ * 3 } 1..5 for 1..1500; print scalar keys %h"],
    "python3": ["/usr/bin/python3", "-S", "-c", "print(sum(len(str(i) * 3) for i in range(2000)))"],
    "sqlite3": ["sqlite3", ":memory:", "create table t(a); with recursive c(x) as (select 1 union all select x + 1 from c "
                "limit 900) insert into t select x || 'y' from c; select max(length(a)) from t"],
    "gawk": ["gawk", "BEGIN { for (i = 0; i < 3000; i++) n[i % 17] = n[i % 17] i; print length(n) }"],
    "c++filt": ["c++filt"] + ["_ZNSt6vectorISt4pairIiSsESaIS1_EE9push_backERKS1_", "_Z1fv"] * 60,
}
OWN = {"kinds": [], "threads": [], "fork": [], "unwind": [], "from": ["--from", "work"], "cut": ["--max-size", "800K"]}


def run(tmp, *words):
    done = subprocess.run([TWINRUN, *words], cwd=tmp, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    return done.returncode, done.stdout, done.stderr


def take(tmp):
    """What is kept, by name; it is gone then."""
    out = {}
    for path in glob.glob(f"{tmp}/t.twin.*"):
        with open(path, "rb") as f:
            out[os.path.basename(path)] = f.read()
        os.unlink(path)
    return {name: data for name, data in out.items() if ".memory-" in name}


def put(tmp, files):
    for name, data in files.items():
        with open(f"{tmp}/{name}", "wb") as f:
            f.write(data)


def check(tmp, label, command, flags):
    """What is wrong with it; None: nothing."""
    run(tmp, "record", "-q", "--force", "--follow-memory", "-o", "t.twin", *flags, "--", *command)
    recorded = take(tmp)
    if not recorded:
        return "nothing is kept"
    walked = run(tmp, "calls", "--allocations", "--json", "t.twin")
    put(tmp, recorded)
    kept = run(tmp, "calls", "--allocations", "--json", "t.twin")
    if walked != kept or walked[0] != 0:
        return "the log that was kept is another one"
    with_file = run(tmp, "why", "--json", "t.twin", "t.twin")
    if take(tmp) != recorded:
        return "what was kept is made again"
    # Another one to compare with: equal runs need no history.
    run(tmp, "record", "-q", "--force", "-o", "u.twin", *flags, "--", *command[:-1], command[-1] + " ")
    answer = run(tmp, "why", "--json", "t.twin", "u.twin")
    made = take(tmp)
    put(tmp, recorded)
    again = run(tmp, "why", "--json", "t.twin", "u.twin")
    take(tmp)
    if answer != again or answer[0] not in (0, 1) or with_file[0] != 0:
        return "another answer"
    different = [name for name, data in made.items() if recorded.get(name) != data]
    if different:
        return f"why makes another {different}"
    print(f"ok   {label}: {walked[1].count(b'address_number')} allocations, {len(recorded)} kept, {len(made)} made by why")
    return None


def main():
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="twinrun-kept-") as tmp:
        cases = [(name, command, []) for name, command in REAL.items()]
        for how in (["-O2"], ["-O2", "-static"]):
            program = f"{tmp}/kinds" + "-static" * (len(how) - 1)
            subprocess.run(["g++", "-g", "-fno-builtin", "-pthread", *how, "-o", program, f"{HERE}/programs/kinds.cc"],
                           check=True)
            cases += [(os.path.basename(program) + " " + name, [program, name], flags) for name, flags in OWN.items()]
        for label, command, flags in cases:
            if shutil.which(command[0]) is None:
                print(f"skip {label}: not installed")
                continue
            trouble = check(tmp, label, command, flags)
            if trouble:
                print(f"FAIL {label}: {trouble}")
                wrong += 1
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Per-instruction execution counts equal callgrind's inside the main executable of real programs.

callgrind runs with --dump-instr=yes; the recording's counts come from the program instr_counts. Each
instruction of the main executable must have run equally often. The dynamic linker and the C library
may differ (callgrind's preloaded library is not in a recording, symbols are bound at other
addresses): those differences are listed by function.

callgrind counts one more arrival at a rep instruction than the processor does when its counter
reaches zero, so arrivals are compared, not steps; the rule for steps is checked by steps.py.

Of some programs also the counts of basic blocks that the index of paths gives are compared: each
block of the executable began as often as callgrind saw its first instruction.

usage: callgrind.py [-v] [PROGRAM...]
"""
import collections
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TWINRUN = os.path.abspath(os.environ.get("TWINRUN", ROOT + "/build/release/bin/twinrun"))
INSTR_COUNTS = os.environ.get("INSTR_COUNTS", ROOT + "/build/release/test/instr_counts")

# Their hash tables are seeded with addresses on the stack, which moves by the few bytes that either
# tool adds to the environment: a few counts in a thousand differ from run to run.
SEEDED = {"lua5.4", "perl", "python3"}
# Whose basic blocks are compared, too.
WITH_BLOCKS = {"gzip", "bzip2", "gawk", "sqlite3", "make", "sed"}
# Debian's `valgrind` is a script that adds to the environment.
CALLGRIND = [shutil.which("valgrind.bin") or "valgrind", "--command-line-only=yes", "--vgdb=no", "-q", "--tool=callgrind"]


def make_inputs(tmp):
    os.makedirs(tmp + "/out")
    with open(tmp + "/text", "w", encoding="utf-8") as f:
        for i in range(1500):
            f.write(f"{i * 7919 % 1009} line {i} {'abcdefgh'[i % 8] * (i % 11)}\n")
    with open(tmp + "/p.lua", "w", encoding="utf-8") as f:
        f.write("local t = {} for i = 1, 5000 do t[i] = (i * 7919) % 5003 end table.sort(t)\n"
                "local s = 0.0 for i, v in ipairs(t) do s = s + v / i end print(s, #(('x'):rep(100)))\n")
    with open(tmp + "/unit.i", "w", encoding="utf-8") as f:
        for i in range(6):
            f.write(f"int f{i}(int n) {{ int r = {i}; for (int k = 0; k < n; k++) r += k * r ^ {i}; return r; }}\n")
    with open(tmp + "/Makefile", "w", encoding="utf-8") as f:
        f.write("objects = $(patsubst %,o%,$(shell_free))\nshell_free = " + " ".join(map(str, range(60))) +
                "\nall: $(objects)\no%: ; @:\n")
    cc1 = subprocess.run(["gcc", "-print-prog-name=cc1"], capture_output=True, check=True, text=True).stdout.strip()
    return {
        "gzip": ["/usr/bin/gzip", "-nc", "text"],
        "bzip2": ["/usr/bin/bzip2", "-kc", "text"],
        "xz": ["/usr/bin/xz", "-T1", "-1", "-kc", "text"],
        "gawk": ["/usr/bin/gawk", '{ n[$3 % 10]++; if (/7.*line/) m++; l += length($0) } END { print m, l, n[3] }', "text"],
        "sqlite3": ["/usr/bin/sqlite3", ":memory:", "create table t(a, b); with recursive r(i) as (select 1 union all "
                    "select i + 1 from r where i < 800) insert into t select i, i * 31 % 97 from r; "
                    "select b, count(*) from t group by b order by 2, 1 limit 4;"],
        "lua5.4": ["/usr/bin/lua5.4", "p.lua"],
        "make": ["/usr/bin/make", "-n", "-r", "-R"],
        "git": ["/usr/bin/git", "diff", "--no-index", "--no-color", "--stat", "text", "p.lua"],
        "python3": ["/usr/bin/python3.11", "-I", "-S", "-B", "-c", "print(sum(i * i % 7 for i in range(3000)))"],
        "cc1": [cc1, "-quiet", "-O1", "-fpreprocessed", "unit.i", "-o", "/dev/null"],
        "sed": ["/usr/bin/sed", "-E", "s/([a-z]+) ([0-9]+)/\\2 \\1/; /9$/d", "text"],
        "sort": ["/usr/bin/sort", "-k2,2", "-k1,1n", "text"],
        "dash": ["/usr/bin/dash", "-c", "i=0; while [ $i -lt 300 ]; do i=$((i+1)); done; echo $i"],
        "perl": ["/usr/bin/perl", "-e", '$s += length("x" x $_) * $_ for 1..2000; print "$s\n"'],
        "bash": ["/usr/bin/bash", "-c", 'for ((i = 0; i < 500; i++)); do s=$((s + i)); done; echo $s'],
    }


def environment(tmp):
    return {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "HOME": tmp, "PYTHONHASHSEED": "0", "PERL_HASH_SEED": "0",
            "GIT_PAGER": "cat", "XDG_DATA_HOME": tmp}


def parse_callgrind(path):
    """object -> address -> [count, function]. Positions may be compressed: +n, -n, *; names too."""
    counts = collections.defaultdict(dict)
    names = {}
    ob = fn = "?"
    address = 0
    after_calls = False

    def name(kind, text):
        m = re.match(r"\((\d+)\)(?: (.*))?$", text)
        if not m:
            return text
        if m[2] is not None:
            names[kind, m[1]] = m[2]
        return names[kind, m[1]]

    def position(text, last):
        if text == "*":
            return last
        if text[0] in "+-":
            return last + int(text, 0)
        return int(text, 0)

    with open(path, encoding="utf-8") as f:
        for line in f:
            line = line.strip()
            m = re.match(r"(\w+)=(.*)$", line)
            if m:
                key, text = m[1], m[2]
                if key in ("ob", "cob"):
                    text = name("ob", text)
                    ob = text if key == "ob" else ob
                elif key in ("fn", "cfn"):
                    text = name("fn", text)
                    fn = text if key == "fn" else fn
                elif key in ("fl", "fi", "fe", "cfl", "cfi"):
                    name("fl", text)
                elif key == "calls":
                    after_calls = True
                continue
            if not line or not re.match(r"[0-9+*-]", line):
                continue
            fields = line.split()
            address = position(fields[0], address)
            if after_calls:  # the inclusive cost of the call, not of the instruction
                after_calls = False
                continue
            cost = int(fields[2]) if len(fields) > 2 else 0
            entry = counts[ob].setdefault(address, [0, fn])
            entry[0] += cost
    return counts


def segments(path):
    """(file offset, virtual address, size) of the loaded segments of an ELF file."""
    with open(path, "rb") as f:
        head = f.read(64)
        offset, size, count = struct.unpack_from("<Q", head, 32)[0], *struct.unpack_from("<HH", head, 54)
        f.seek(offset)
        table = f.read(size * count)
    out = []
    for i in range(count):
        kind, _, off, vaddr, _, filesz = struct.unpack_from("<IIQQQQ", table, i * size)
        if kind == 1:
            out.append((off, vaddr, filesz))
    return out


def recorded_counts(trace):
    """object -> link-time address -> arrivals; and address -> (object, link-time address)."""
    p = subprocess.run([INSTR_COUNTS, trace], capture_output=True, check=True, text=True)
    counts, known, places = collections.defaultdict(dict), {}, {}
    for line in p.stdout.splitlines():
        address, offset, _, arrivals, path = line.split(" ", 4)
        offset = int(offset, 16)
        if path == "-":
            continue
        path = os.path.realpath(path)
        if path not in known:
            known[path] = segments(path)
        for off, vaddr, size in known[path]:
            if off <= offset < off + size:
                counts[path][offset - off + vaddr] = int(arrivals)
                places[int(address, 16)] = (path, offset - off + vaddr)
                break
    return counts, places


def block_counts(trace):
    """start address -> count of the blocks of the executable, by `twinrun paths`."""
    p = subprocess.run([TWINRUN, "paths", "--blocks", "--no-keep", "--json", trace], capture_output=True, check=True,
                       text=True)
    counts = collections.Counter()
    for row in json.loads(p.stdout)["blocks"]:
        if row["module"] == "":
            counts[row["address"]] += row["count"]
    return counts


def wrong_blocks(trace, theirs):
    """Blocks whose count is not that of their first instruction."""
    blocks = block_counts(trace)
    wrong = {x: (n, theirs.get(x, [0])[0]) for x, n in blocks.items() if theirs.get(x, [0])[0] != n}
    print(f"     {len(blocks)} basic blocks began {sum(blocks.values())} times; {len(wrong)} counts differ", flush=True)
    for x, (n, m) in list(wrong.items())[:6]:
        print(f"     {x:#x}: by paths {n}, callgrind {m} in {theirs.get(x, [0, '-'])[1]}")
    return wrong if blocks else {0: (0, 0)}


def compare(name, command, tmp, verbose):
    """same, near or FAIL."""
    # Not where the program runs: some look into their directory.
    trace, out = f"{tmp}/out/{name}.twin", f"{tmp}/out/{name}.callgrind"
    env = environment(tmp)
    # The program under callgrind sees a few variables more; with them the two layouts are the same.
    printed = subprocess.run([*CALLGRIND, "--callgrind-out-file=/dev/null", "/usr/bin/env"], cwd=tmp, env=env,
                             capture_output=True, check=True, text=True).stdout
    seen = dict(line.split("=", 1) for line in printed.splitlines())
    # Both start in the same second: some programs seed their hash tables with the time.
    time.sleep(1 - time.time() % 1)
    # Nothing is shared, not even the flags of an open stderr.
    runs = [subprocess.Popen(line, cwd=tmp, env=e, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
            for line, e in (
                ([TWINRUN, "record", "-q", "--no-pad", "-o", trace, "--", *command], seen),
                # Of a parent of its own, as the recorded one: bash writes that one's number, too, and the
                # numbers of processes that started long ago may have another length.
                (["timeout", "--foreground", "600", *CALLGRIND, "--dump-instr=yes", "--skip-plt=no",
                  f"--callgrind-out-file={out}", *command], env))]
    for run in runs:
        run.wait()
    theirs = {os.path.realpath(k) if os.path.exists(k) else k: v for k, v in parse_callgrind(out).items()}
    ours, places = recorded_counts(trace)
    # callgrind knows no object for sections without symbols (.init, .plt); it gives their addresses,
    # and both runs have the same layout.
    for x, (cost, fn) in theirs.pop("???", {}).items():
        if x in places:
            obj, at = places[x]
            theirs.setdefault(obj, {}).setdefault(at, [0, fn])[0] += cost
    main = os.path.realpath(command[0])
    a, b = ours.get(main, {}), theirs.get(main, {})
    wrong = [x for x in sorted(a.keys() | b.keys()) if a.get(x, 0) != b.get(x, [0])[0]]
    total = sum(v[0] for v in b.values())
    off = sum(abs(a.get(x, 0) - b.get(x, [0])[0]) for x in wrong)
    good = total > 0 and off <= (total // 100 if name in SEEDED else 0)
    print(f"{'FAIL' if not good else 'near' if wrong else 'same'} {name}: {len(b)} instructions of the executable, "
          f"executed {total} times; {len(wrong)} counts differ by {off} in all", flush=True)
    functions = collections.Counter()
    for x in wrong:
        functions[b.get(x, [0, "not run by callgrind"])[1]] += a.get(x, 0) - b.get(x, [0])[0]
    for fn, d in functions.most_common(8 if wrong else 0):
        print(f"     {fn}: {d:+}")
    for x in wrong[:6]:
        print(f"     {x:#x}: recorded {a.get(x, 0)}, callgrind {b.get(x, [0])[0]} in {b.get(x, [0, '-'])[1]}")
    if verbose:
        for obj in sorted((ours.keys() | theirs.keys()) - {main}):
            p, q = ours.get(obj, {}), theirs.get(obj, {})
            by = collections.Counter()
            for x in p.keys() | q.keys():
                d = p.get(x, 0) - q.get(x, [0])[0]
                if d:
                    by[q[x][1] if x in q else "not run by callgrind"] += d
            listed = ", ".join(f"{fn} {d:+}" for fn, d in sorted(by.items(), key=lambda i: -abs(i[1]))[:6])
            print(f"     {os.path.basename(obj)}: {listed or 'equal'}")
    if name in WITH_BLOCKS and wrong_blocks(trace, b):
        good = False
    return "FAIL" if not good else "near" if wrong else "same"


def main():
    verbose = "-v" in sys.argv
    names = [a for a in sys.argv[1:] if a != "-v"]
    verdicts = collections.Counter()
    with tempfile.TemporaryDirectory(prefix="twinrun-callgrind-") as tmp:
        for name, command in make_inputs(tmp).items():
            if (names and name not in names) or not os.path.exists(command[0]):
                continue
            verdict = compare(name, command, tmp, verbose)
            if verdict == "FAIL":
                # bash writes its process number, and the two runs have different ones: now and then only
                # one of them has gained a digit. A wrong count is wrong again.
                print(f"{name} once more", flush=True)
                shutil.rmtree(tmp + "/out")
                os.makedirs(tmp + "/out")
                verdict = compare(name, command, tmp, verbose)
            verdicts[verdict] += 1
    print(f"{verdicts['same']} programs have callgrind's counts at every instruction of their executable, "
          f"{verdicts['near']} nearly, {verdicts['FAIL']} do not")
    sys.exit(1 if verdicts["FAIL"] or (verdicts["same"] < 8 and not names) else 0)


if __name__ == "__main__":
    main()

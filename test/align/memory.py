#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Differences between the memories of two runs against what the programs are known to do.

usage: memory.py DIRECTORY-OF-THE-CHECKERS. TWINRUN is the program. Figure 7 of the memory indexing
paper is among them, with the sets of differences that its section 6 states.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

TWINRUN = os.environ["TWINRUN"]
HERE = os.path.dirname(os.path.abspath(__file__))
TOOLS = sys.argv[1]
failures = 0


def check(what, got, wanted):
    global failures
    good = got == wanted
    failures += not good
    print(f"{'ok  ' if good else 'FAIL'} {what}")
    if not good:
        print(f"     got    {got}\n     wanted {wanted}")


def source(name):
    with open(f"{HERE}/programs/{name}.c", encoding="ascii") as f:
        return f.read().split("\n")


def line_of(name, text):
    return next(i for i, row in enumerate(source(name), 1) if text in row)


def build(tmp, name, flags=("-O0",)):
    subprocess.run(["gcc", "-g", *flags, "-o", f"{tmp}/{name}", f"{HERE}/programs/{name}.c"], check=True)


def record(tmp, name, out, *arguments):
    subprocess.run([TWINRUN, "record", "-q", "--force", "-o", f"{tmp}/{out}", "--", f"./{name}", *arguments],
                   cwd=tmp, stdout=subprocess.DEVNULL, check=False)


def compare(tmp, a, b, where, *flags):
    """Rows by memory index, and rows by reference paths."""
    run = subprocess.run([TOOLS + "/align_mem", *flags, f"{tmp}/{a}", f"{tmp}/{b}", where],
                         stdout=subprocess.PIPE, check=False, text=True)
    if run.returncode not in (0, 1):
        sys.exit(f"align_mem failed with {run.returncode}")
    rows, symbolic = [], []
    for text in run.stdout.split("\n"):
        parts = [p.strip() for p in text.split(" | ")]
        if parts[0] == "symbolic":
            symbolic.append(dict(zip(("kind", "path", "a", "b"), parts[1:])))
        elif len(parts) > 4:
            rows.append(dict(zip(("kind", "where", "index", "name", "type", "a", "b"), parts)))
    return rows, symbolic


def of_program(rows, module):
    """Those in the program's own globals and in the heap."""
    return [r for r in rows if r["where"] == "heap" or
            (r["where"] == "module" and r["index"].startswith(module + "+"))]


def figure7(tmp):
    build(tmp, "figure7_memory")
    record(tmp, "figure7_memory", "passing", "x")
    record(tmp, "figure7_memory", "failing")
    where = f"figure7_memory.c:{line_of('figure7_memory', '// 11')}"
    rows, symbolic = compare(tmp, "passing", "failing", where)
    mine = of_program(rows, "figure7_memory")
    check("figure 7: the globals that differ",
          sorted((r["name"], r["kind"]) for r in mine if r["where"] == "module"),
          [("C", "value"), ("h", "pointer"), ("p", "pointer"), ("r", "pointer")])
    heap = [r for r in mine if r["where"] == "heap"]
    check("figure 7: one region, of the passing run, as a whole", [r["kind"] for r in heap], ["only A"])
    check("figure 7: it was allocated at 7",
          f"new_node@figure7_memory.c:{line_of('figure7_memory', '// 7')}" in (heap or [{"index": ""}])[0]["index"], True)
    # failing - passing, of what is in the heap.
    paths = {r["path"] for r in symbolic if re.match(r"[hpr]->", r["path"]) and r["kind"] != "only A"}
    check("figure 7: by reference paths", paths,
          {"p->val", "r->val", "r->next->val", "r->next->next->val", "h->next->val", "h->next->next->val"})
    record(tmp, "figure7_memory", "again", "x")
    rows, symbolic = compare(tmp, "passing", "again", where)
    check("figure 7: the same run twice", of_program(rows, "figure7_memory"), [])
    check("figure 7: the same run twice, by paths", [r for r in symbolic if re.match(r"[hpr]->", r["path"])], [])


def runoff(tmp):
    for optimize in ("-O0", "-O1"):
        build(tmp, "runoff", (optimize, "-fno-inline"))
        record(tmp, "runoff", "a")
        record(tmp, "runoff", "b", "x")
        where = f"runoff.c:{line_of('runoff', 'compared here')}"
        lazy, _ = compare(tmp, "a", "b", where)
        online, _ = compare(tmp, "a", "b", where, "--online")
        def names(rows):
            return sorted(r["name"] for r in of_program(rows, "runoff") if r["kind"] == "pointer")
        check(f"runoff {optimize}: lazy", names(lazy), ["cursor"])
        check(f"runoff {optimize}: online", names(online), [])
        said = subprocess.run([TOOLS + "/align_origin", f"{tmp}/b", where, "cursor", "back", "in_frame",
                               "in_table", "argument"], stdout=subprocess.PIPE, check=True, text=True).stdout
        rows = [row.split(" | ") for row in said.strip().split("\n")]
        first, second = (line_of("runoff", t) for t in ("*x = malloc", "*between ="))
        check(f"runoff {optimize}: the value is in the next block",
              rows[0][1].endswith(f"runoff.c:{second}]+0"), True)
        check(f"runoff {optimize}: it came from the first", rows[0][2].endswith(f"runoff.c:{first}]+32"), True)
        check(f"runoff {optimize}: what stays inside is the same both ways",
              [r[0] for r in rows if r[1] == r[2]], ["back", "in_frame", "in_table", "argument"])
        check(f"runoff {optimize}: kinds", [r[3] for r in rows],
              ["allocation", "allocation", "stack", "code", "outside"])


def kinds(tmp):
    build(tmp, "kinds")
    record(tmp, "kinds", "a")
    record(tmp, "kinds", "b", "x")
    rows, _ = compare(tmp, "a", "b", f"kinds.c:{line_of('kinds', 'compared here')}")
    mine = of_program(rows, "kinds")
    check("kinds: globals and heap", sorted((r["name"], r["kind"]) for r in mine),
          sorted([("extra", "pointer"), ("", "only B"), ("mixed->n", "value"), ("mixed->high", "value"),
                  ("mixed->text", "value"), ("mixed->f", "pointer"), ("grown[1]", "value"),
                  ("zeroed[2]", "value")]))
    check("kinds: values", {r["name"]: (r["a"], r["b"]) for r in mine if r["name"] in ("mixed->high", "mixed->text")},
          {"mixed->high": ("0", "1"), "mixed->text": ('"two"', '"one"')})
    check("kinds: a mapping", [r["index"].split("]")[-1] for r in rows if r["where"] == "mapping"], ["+4800:1"])
    frames = {}
    for r in rows:
        if r["where"] == "stack" and "> depth" in r["index"]:
            frames.setdefault(r["index"].count("> depth"), []).append(r["name"])
    # Each frame has its parameter; the third one, where n is 1, its local variable too.
    check("kinds: frames of a recursion", {d: sorted(n for n in names if n) for d, names in frames.items()},
          {1: ["v"], 2: ["v"], 3: ["local", "v"], 4: ["v"]})
    check("kinds: nothing raw in these frames", [n for names in frames.values() for n in names if not n], [])


def where(tmp, recording, position, addresses, *flags):
    run = subprocess.run([TOOLS + "/align_where", *flags, f"{tmp}/{recording}", position, *addresses],
                         stdout=subprocess.PIPE, check=True, text=True)
    rows = [[p.strip() for p in row.split(" | ")] for row in run.stdout.strip().split("\n")]
    return [dict(zip(("address", "region", "name", "offset", "thread"), row)) for row in rows]


def is_place(what, row):
    """Whether the region is what the program says."""
    kind, _, rest = what.partition(" ")
    region = row["region"]
    if kind == "stack":
        function, _, depth = rest.partition(" ")
        return region.startswith("stack ") and region.split(" ")[-1] == function and (
            not depth or region.count(" > " + function) == 4 - int(depth))
    if kind == "heap":
        return region.startswith("heap [") and rest + "@" in region
    if kind == "module":
        return row["name"] in ("places", "libc.so.6")
    if kind == "thread":
        return region.startswith("thread storage") and row["thread"] == what
    if kind == "mapping":
        return region.startswith("mapping [") and "main@" in region
    return region == "process start" and row["name"] == what


def places(tmp):
    for optimize in ("-O0", "-O2"):
        build(tmp, "places", (optimize, "-fno-inline", "-fno-optimize-sibling-calls", "-pthread"))
        with open(tmp + "/told", "w", encoding="ascii") as out:
            subprocess.run([TWINRUN, "record", "-q", "--force", "-o", tmp + "/places-run", "--", "./places"], cwd=tmp,
                           stdout=out, check=True)
        with open(tmp + "/told", encoding="ascii") as f:
            told = [row.split("\t") for row in f.read().strip().split("\n")]
        rows = where(tmp, "places-run", f"places.c:{line_of('places', 'looked at here')}", [t[1] for t in told])
        wrong = [(t[0], row) for t, row in zip(told, rows) if not is_place(t[0], row)]
        check(f"places {optimize}: {len(told)} addresses", (wrong, len(rows)), ([], 29))


def pool(tmp):
    build(tmp, "pool")
    run = subprocess.run([TWINRUN, "record", "-q", "--force", "-o", tmp + "/pool-run", "--", "./pool"], cwd=tmp,
                         stdout=subprocess.PIPE, check=True, text=True)
    at = f"pool.c:{line_of('pool', 'looked at here')}"
    whole = f"pool.c:{line_of('pool', 'malloc(1000)')}]"
    plain = where(tmp, "pool-run", at, run.stdout.split())
    check("pool: one block", [(r["region"].split(" ")[-1], r["offset"]) for r in plain],
          [(whole, "+99"), (whole, "+109"), (whole, "+166"), (whole, "+999")])
    ruled = where(tmp, "pool-run", at, run.stdout.split(), "--allocator", "pool_get:2:pool_put:2")
    lines = [f"pool.c:{line_of('pool', t)}]" for t in ("*one", "*three")]
    check("pool: its blocks", [(r["region"].split(" ")[-1], r["offset"]) for r in ruled],
          [(lines[0], "+99"), (whole, "+109"), (lines[1], "+0"), (whole, "+999")])


def layout(tmp):
    """The same run on another layout of the heap: most blocks are mappings of their own."""
    with open(tmp + "/text", "w", encoding="ascii") as f:
        f.write("".join(f"{i * 7919 % 1009} word{i % 13}\n" for i in range(200)))
    programs = {
        "sort": ["sort", "-k2", "text"],
        "bzip2": ["bzip2", "-kc", "text"],
        "sqlite3": ["sqlite3", ":memory:", "create table t(a, b); insert into t values (1, 2.5), (3, 'x'); "
                    "select sum(a), max(b) from t"],
        "gawk": ["gawk", "{ n[$2]++ } END { for (k in n) s += n[k] * sqrt(n[k]); print s }", "text"],
    }
    for name, command in programs.items():
        if shutil.which(name) is None:
            print(f"skip {name}: not installed")
            continue
        for out, threshold in (("one", "131072"), ("two", "000600")):
            subprocess.run([TWINRUN, "record", "-q", "--force", "-o", f"{tmp}/{out}", "--", *command], cwd=tmp,
                           stdout=subprocess.DEVNULL, check=True,
                           env={**os.environ, "MALLOC_MMAP_THRESHOLD_": threshold})
        rows, _ = compare(tmp, "one", "two", "write")
        heap = [r for r in rows if r["where"] == "heap"]
        check(f"layout: {name}, regions and pointers", [r for r in heap if r["kind"] != "value"], [])
        # sqlite3 has functions by pointers that the C library has mixed with a random number, gawk has
        # the time and the environment.
        most = {"sort": 0, "bzip2": 0}.get(name, 6)
        check(f"layout: {name}, values", heap if len(heap) > most else [], [])


def main():
    with tempfile.TemporaryDirectory(prefix="twinrun-memory-") as tmp:
        figure7(tmp)
        runoff(tmp)
        kinds(tmp)
        places(tmp)
        pool(tmp)
        layout(tmp)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Do two builds of twinrun give the same answers?

Records a corpus of pairs of runs once (programs of the tests, Debian's tools), asks every verb of both builds about
them, and compares what they print, byte by byte, with their exit status:

    answers.py --before OLD/bin/twinrun --after NEW/bin/twinrun

For a change that is to alter no answer. With one build for both it tells whether answers depend on anything but the
recordings; that is what CTest runs, on a sample.
"""
import argparse
import concurrent.futures
import difflib
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent
TESTS = HERE.parent
ROOT = TESTS.parent
FREESTANDING = ("-nostdlib", "-static", "-ffreestanding", "-fno-stack-protector", "-fno-pic", "-no-pie")


class Corpus:
    """Programs to build and pairs of commands to record, in a directory that is kept."""

    def __init__(self, directory):
        self.dir = directory
        self.pairs = {}  # name -> (command A, command B, function of the program)

    def file(self, name, text):
        path = self.dir / "files" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = text if isinstance(text, bytes) else text.encode()
        if not path.exists() or path.read_bytes() != data:
            path.write_bytes(data)
        return str(path)

    def source(self, path):
        """A copy with the headers beside it: answers quote lines of it, and the tree's file may change meanwhile."""
        kept = self.dir / "src" / path.parent.name
        kept.mkdir(parents=True, exist_ok=True)
        for file in (path, *path.parent.glob("*.h")):
            if not (kept / file.name).exists():
                shutil.copyfile(file, kept / file.name)
        return kept / path.name

    def build(self, source, name, *flags):
        out = self.dir / "bin" / name
        out.parent.mkdir(parents=True, exist_ok=True)
        if not out.exists():
            source = self.source(source)
            compiler = "g++" if str(source).endswith(".cc") else "gcc"
            subprocess.run([compiler, "-g", "-w", "-pthread", "-march=haswell", "-maes", *flags, str(source), "-o", str(out), "-lm", "-ldl"], check=True)
        return str(out)

    def pair(self, name, a, b, function="main"):
        self.pairs[name] = (a, b, function)


def words(count, seed, width=9):
    rng = random.Random(seed)
    return "".join("".join(rng.choice("abcdefgh") for _ in range(rng.randint(2, width))) + ("\n" if i % 7 == 6 else " ")
                   for i in range(count))


def make_corpus(directory):
    c = Corpus(directory)
    csvsum = c.build(ROOT / "examples" / "csvsum" / "csvsum.c", "csvsum", "-O0")
    good = c.file("good.csv", "Sales of the third quarter 2025\nnorth,east,south,west\n1,2,3,4\n5,6,7,8\n")
    bad = c.file("bad.csv", "Sales of the third quarter 2025ACME\nnorth,east,south,west\n1,2,3,4\n5,6,7,8\n")
    c.pair("csvsum", [csvsum, good], [csvsum, bad], "sum_row")
    align = TESTS / "align" / "programs"
    for name, args_a, args_b in (("branches", "3 1", "3 4"), ("loops", "2 1", "2 5"), ("jumps", "1 1", "1 3"),
                                 ("recursion", "1 2", "1 5"), ("tails", "1 2", "1 3"), ("unwinding", "2 1", "2 3"),
                                 ("altstack", "1 1", "1 2")):
        for level in ("-O0", "-O2"):
            program = c.build(align / f"{name}.c", f"{name}{level}", level, *FREESTANDING)
            c.pair(f"{name}{level}", [program, *args_a.split()], [program, *args_b.split()])
    program = c.build(align / "coroutines.c", "coroutines", "-O1")
    c.pair("coroutines", [program, "30"], [program, "51"])
    program = c.build(align / "exceptions.cc", "exceptions", "-O1")
    c.pair("exceptions", [program, "2", "1"], [program, "2", "3"])
    program = c.build(align / "threads.c", "threads", "-O0")
    c.pair("threads", [program, "a"], [program, "b"])
    program = c.build(align / "figure7_memory.c", "figure7_memory", "-O0")
    c.pair("figure7_memory", [program], [program, "x"])
    torture = TESTS / "torture" / "recipes"
    for name in ("threads-condvar", "threads-8", "fork-tree", "signal-nested", "memory-jit", "crash-heap",
                 "float-x87", "vector-avx2", "memory-mappings", "flow-longjmp"):
        program = c.build(torture / f"{name}.c", name, "-O1")
        c.pair(name, [program], [program, "x"])
    program = c.build(torture / "flow-exceptions.cc", "flow-exceptions", "-O2")
    c.pair("flow-exceptions", [program], [program, "x"])
    static = c.build(align / "loops.c", "loops-no-id", "-O2", *FREESTANDING, "-Wl,--build-id=none")
    c.pair("loops-no-id", [static, "3", "1"], [static, "3", "4"])
    stripped = c.build(align / "branches.c", "branches-stripped", "-O2", "-s", *FREESTANDING)
    c.pair("branches-stripped", [stripped, "2", "1"], [stripped, "2", "4"], "0x0")
    text_a = c.file("a.txt", words(900, 1))
    text_b = c.file("b.txt", words(900, 1).replace("a", "ab", 3))
    c.pair("gzip", ["gzip", "-c", text_a], ["gzip", "-c", text_b])
    c.pair("bzip2", ["bzip2", "-c", text_a], ["bzip2", "-c", text_b])
    c.pair("sort", ["sort", text_a], ["sort", text_b])
    c.pair("sed", ["sed", "s/ab/X/g", text_a], ["sed", "s/ab/XY/g", text_a])
    count = c.file("count.awk", "{ for (i = 1; i <= NF; i++) n[$i]++ } END { for (w in n) s += n[w] * length(w); print s }\n")
    c.pair("gawk", ["gawk", "-f", count, text_a], ["gawk", "-f", count, text_b])
    c.pair("bc", ["bc", c.file("a.bc", "2^40/7\nquit\n")], ["bc", c.file("b.bc", "2^44/7\nquit\n")])
    lua = "local t = {} for w in io.lines(arg[1]) do t[#t+1] = #w end table.sort(t) print(t[1], t[#t])\n"
    script = c.file("lines.lua", lua)
    c.pair("lua5.4", ["lua5.4", script, text_a], ["lua5.4", script, text_b])
    c.pair("perl", ["perl", "-e", "print scalar reverse 'abc' x 50"], ["perl", "-e", "print scalar reverse 'abd' x 50"])
    sql = "create table t(a,b); insert into t values(1,'x'),(2,'y'); select a*%d from t where b='x';"
    c.pair("sqlite3", ["sqlite3", ":memory:", sql % 2], ["sqlite3", ":memory:", sql % 3])
    c.pair("pipeline", ["sh", "-c", f"sort {text_a} | head -3"], ["sh", "-c", f"sort {text_b} | head -3"])
    make = c.file("Makefile", "all: ; @echo $(WORD)\n")
    c.pair("make", ["make", "-s", "-f", make, "WORD=one"], ["make", "-s", "-f", make, "WORD=three"])
    return c


def record(twinrun, corpus, names):
    store = corpus.dir / "recordings"
    store.mkdir(exist_ok=True)
    for name in names:
        for side, command in zip("AB", corpus.pairs[name]):
            path = store / f"{name}-{side}.twin"
            if not path.exists():
                env = {"PATH": os.environ["PATH"], "HOME": str(corpus.dir), "LC_ALL": "C"}
                subprocess.run([twinrun, "record", "-q", "--force", "-o", str(path), "--", *command], check=False,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env,
                               timeout=300)
            if not path.exists():
                raise SystemExit(f"cannot record {name}: {command}")
    return store


def questions(twinrun, corpus, store, name):
    """Commands without the program's name; JSON and text."""
    a, b = str(store / f"{name}-A.twin"), str(store / f"{name}-B.twin")
    function = corpus.pairs[name][2]
    out = []
    for rec in (a, b):
        out += [["info", "--json", rec], ["info", "--functions", "--json", rec], ["info", "--operations", "--json", rec],
                ["dump", "--blocks", "--limit", "300", "--json", rec], ["dump", "--syscalls", "--data", "--json", rec],
                ["dump", "--events", "--limit", "400", "--json", rec], ["dump", "--functions", "--limit", "400", "--json", rec],
                ["calls", "--json", "--limit", "300", rec], ["calls", "--allocations", "--json", rec],
                ["calls", "--no-values", "--all-modules", "--limit", "300", "--json", rec],
                ["cfg", function, "--in", rec, "--json"], ["cfg", function, "--in", rec, "--calls", "--json"],
                ["paths", rec, "--hot", "--all-modules", "--no-keep", "--json"], ["paths", rec, "--never", "--no-keep", "--json"],
                ["verify", "--json", rec], ["export", rec, "--format", "folded"],
                ["export", rec, "--format", "perfetto", "--limit", "500"]]
    said = json.loads(ask(twinrun, ["info", "--json", a])[1])
    steps = max((t["instructions"] for p in said["processes"][:1] for t in p["threads"]), default=0)
    for step in (str(steps // 4), str(steps * 3 // 4), f"{function}#last"):
        out += [["index", "--at", step, "--json", a], ["slice", "--at", step, "--limit", "300", "--json", a],
                ["who", "--at", step, "--what", "rax", "--depth", "4", "--json", b],
                ["who", "--at", step, "--what", "rsp", "--depth", "3", "--json", a],
                ["dump", "--values", "--range", f"{step}..+60" if step.isdigit() else f"{steps // 2}..+60", "--json", b],
                ["mem", "--at", step, a, b, "--json"]]
    out += [["align", a, b, "--json"], ["align", a, b, "--regions", "--limit", "0", "--json"], ["align", a, b],
            ["align", a, a, "--regions", "--json"], ["diff", a, b, "--json", "--limit", "0"],
            ["mem", "--every-divergence", "--divergences", "2", a, b, "--json"],
            ["mem", "--every-divergence", "--divergences", "1", "--symbolic", "--online", a, b],
            ["why", a, b, "--json"], ["why", a, b], ["why", b, a, "--all"], ["why", a, b, "--enhance", "none", "--json"],
            ["why", a, b, "--no-normalization", "--dot"], ["why", a, b, "--exit", "--json"],
            ["show", "D1", a, b, "--json"], ["show", "N2", a, b], ["report", a, b, "-o", "unused", "--json"],
            ["export", a, b, "--format", "sarif"], ["paths", a, b, "--diff", "--no-keep", "--json"]]
    return out


def ask(twinrun, question):
    done = subprocess.run([twinrun, *question], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False, timeout=1200)
    return done.returncode, done.stdout, done.stderr


def ask_before(twinrun, question, directory):
    """What that build answers does not change: it is kept."""
    stat = os.stat(twinrun)
    key = hashlib.sha256(repr((os.path.realpath(twinrun), stat.st_size, stat.st_mtime_ns, question)).encode()).hexdigest()
    kept = directory / "answers" / key
    if kept.exists():
        status, out, err = kept.read_bytes().split(b"\0", 2)
        return int(status), bytes.fromhex(out.decode()), err
    answer = ask(twinrun, question)
    kept.parent.mkdir(exist_ok=True)
    part = kept.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
    part.write_bytes(b"%d\0%s\0%s" % (answer[0], answer[1].hex().encode(), answer[2]))
    part.replace(kept)
    return answer


def compare(before, after, question, directory):
    x = ask(before, question) if before == after else ask_before(before, question, directory)
    y = ask(after, question)
    if x == y:
        return None, x[0]
    lines = []
    for what, p, q in (("exit status", str(x[0]), str(y[0])), ("stdout", x[1], y[1]), ("stderr", x[2], y[2])):
        if p == q:
            continue
        p, q = (t if isinstance(t, str) else t.decode(errors="replace") for t in (p, q))
        if what == "stdout" and "--json" in question:
            try:
                p, q = (json.dumps(json.loads(t), indent=1) for t in (p, q))
            except ValueError:
                pass
        difference = [line[:300] for line in difflib.unified_diff(p.split("\n"), q.split("\n"), "before", "after", n=1, lineterm="")]
        lines += [f"  {what}:"] + ["    " + line for line in difference[:24]]
    return lines, x[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", required=True, help="a twinrun; it also records the corpus")
    parser.add_argument("--after", required=True, help="the other one")
    parser.add_argument("--dir", default="/tmp/twinrun-answers", help="where the corpus is kept")
    parser.add_argument("--pairs", help="regular expression: only these pairs")
    parser.add_argument("--verbs", help="regular expression: only questions that match, as 'why' or '^align .*--json'")
    parser.add_argument("--sample", type=int, help="so many questions, chosen by --seed")
    parser.add_argument("--seed", default=os.environ.get("TWINRUN_SEED", "1"))
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_args()
    directory = pathlib.Path(args.dir).resolve()
    directory.mkdir(parents=True, exist_ok=True)
    corpus = make_corpus(directory)
    names = [n for n in corpus.pairs if not args.pairs or re.search(args.pairs, n)]
    rng = random.Random(hashlib.sha256(args.seed.encode()).digest())
    if args.sample and args.sample < len(names):
        names = sorted(rng.sample(names, args.sample))
    store = record(args.before, corpus, names)
    todo = [(n, q) for n in names for q in questions(args.before, corpus, store, n) if not args.verbs or re.search(args.verbs, " ".join(q))]
    if args.sample and args.sample < len(todo):
        todo = rng.sample(todo, args.sample)
    different, statuses = 0, {}
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for (name, question), (lines, status) in zip(todo, pool.map(lambda t: compare(args.before, args.after, t[1], directory), todo)):
            statuses[status] = statuses.get(status, 0) + 1
            if lines is None:
                continue
            different += 1
            print(f"DIFFERENT {name}: twinrun {' '.join(question)}", *lines, sep="\n", flush=True)
    print(f"{len(todo)} questions about {len(names)} pairs of recordings: {different} answered differently; exit statuses "
          + ", ".join(f"{status}: {count}" for status, count in sorted(statuses.items())))
    if not any(statuses.get(status) for status in (0, 1)):
        print("nothing was answered: the comparison says nothing")
        return 1
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())

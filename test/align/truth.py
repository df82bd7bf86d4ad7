#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs with known divergences: the regions of `align`, in source terms, against tables.

usage: truth.py [PROGRAM...], of test/align/programs

A program has its tables in comments:
    //@ build small             small: without a C library; c++; dynamic: functions are bound lazily; library:
                                with threads or stacks of its own, which naive.py does not know
    //@ case: 1 / 2             the arguments of run a and of run b
    //@ = open if               an aligned region
    //@ ! yes more | no         a disaligned one: what a executes, and what b does; -: nothing
    //@ thread 2                the regions of another thread follow, of the same case
Words stand for the lines whose comment ends in @word, several in a row for one. Each line of the program
that is executed must have one. `...` as the first word of an aligned region stands for more before it.
Tables hold for -O0. In those that begin with `functions:` words are functions that are entered, for -O2.
Code of others, the C library and what starts the program, is not compared here; it may be disaligned only
in programs with a C library. Where that is nothing but the program, naive.py compares every instruction.

TWINRUN_TEST_ALL=1 does that for the programs with a C library but `library`, too, and for -O1 and -O2 and clang.
TRUTH_OF=naive compares the tables with naive.py instead of `align`.
"""
import glob
import os
import re
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
from naive import Naive, aligned_pairs, check_divergences, compare  # noqa: E402
from recording import ALL, HERE, Failure, Lines, Recording, align, record, run  # noqa: E402

BUILDS = {
    "small": ["-static", "-nostdlib", "-ffreestanding", "-fno-stack-protector", "-fcf-protection=none"],
    # Of a program that is completely static the unwinder sorts all frames first: 3 million instructions.
    "c++": ["-no-pie", "-static-libstdc++", "-static-libgcc", "-Wl,-z,now"],
    "dynamic": ["-no-pie", "-Wl,-z,lazy"],
    "library": ["-no-pie", "-pthread", "-Wl,-z,now"],
}


class Case:
    def __init__(self, what, a, b):
        self.by_function = what == "functions"
        self.a = a.split()
        self.b = b.split()
        self.tables = {1: []}  # by thread: (kind, words of a, words of b)
        self.thread = 1

    def add(self, *region):
        self.tables[self.thread].append(region)

    def name(self):
        return f"{' '.join(self.a)} / {' '.join(self.b)}" + (" functions" if self.by_function else "")


class Program:
    def __init__(self, path):
        self.path = path
        self.cases = []
        self.words = {}  # by line
        with open(path, encoding="ascii") as f:
            for number, line in enumerate(f, 1):
                if line.startswith("//@"):
                    self.directive(line[3:].strip())
                elif found := re.search(r"// (?:.* )?@(\S+)$", line.rstrip()):
                    self.words[number] = found[1]

    def directive(self, text):
        if text.startswith("build "):
            self.build = text[6:]
        elif found := re.match(r"(case|functions): (.*) / (.*)$", text):
            self.cases.append(Case(*found.groups()))
        elif found := re.match(r"thread (\d+)$", text):
            self.cases[-1].thread = int(found[1])
            self.cases[-1].tables[int(found[1])] = []
        elif text.startswith("= "):
            self.cases[-1].add("aligned", text[2:].split(), None)
        elif text.startswith("! "):
            a, b = text[2:].split("|")
            self.cases[-1].add("disaligned", *(x.replace(" - ", "").split() for x in (f" {a}", f"{b} ")))
        else:
            raise Failure(f"{self.path}: {text}")

    def compile(self, compiler, level, output):
        if self.path.endswith(".cc"):
            compiler = {"gcc": "g++", "clang": "clang++"}[compiler]
        run([compiler, "-g", level, "-w", *BUILDS[self.build], "-o", output, self.path])


def thread_of(said, number):
    return next(t for t in said["threads"] if f"1.{number}" in (t["a"], t["b"]))


def regions_of(thread):
    if not thread["regions"]:
        return [("disaligned", [0, thread["only_a"]], [0, thread["only_b"]])]
    return [(r["kind"], r["a"], r["b"]) for r in thread["regions"]]


def regions_by_definition(naive):
    """What `align` should say."""
    out = []
    at_a = at_b = 0
    for a, b in naive.pairs + [(len(naive.index_a), len(naive.index_b))]:
        if (a, b) != (at_a, at_b):
            out.append(("disaligned", [at_a, a], [at_b, b]))
        if out and out[-1][0] == "aligned":
            out[-1][1][1], out[-1][2][1] = a + 1, b + 1
        else:
            out.append(("aligned", [a, a + 1], [b, b + 1]))
        at_a, at_b = a + 1, b + 1
    # The pair of the two ends was no instruction.
    out[-1][1][1] -= 1
    out[-1][2][1] -= 1
    return [region for region in out if region[1][0] < region[1][1] or region[2][0] < region[2][1]]


class Comparison:
    """One case: two recordings of a program and what a thread of theirs should have in common."""

    def __init__(self, program, case, binary, paths, thread):
        self.program = program
        self.case = case
        self.lines = Lines(binary, program.path)
        self.thread = thread
        self.runs = [Recording(path, thread=thread) for path in paths]
        # As the recordings name it.
        self.own = next(path for path in self.runs[0].modules if os.path.samefile(path, binary))

    def words(self, recording, steps):
        out = []
        for at in recording.trace[steps[0]:steps[1]]:
            if at.module != self.own:
                continue
            if self.case.by_function:
                if at.offset == 0 and at.function and self.lines.at(at.address):
                    out.append(at.function)
                continue
            line = self.lines.at(at.address)
            if line == 0:
                continue
            if line not in self.program.words:
                raise Failure(f"line {line} is executed and has no word")
            if not out or out[-1] != self.program.words[line]:
                out.append(self.program.words[line])
        return out

    def found(self, regions):
        """The regions in words; those without any of the program's code are left out, if there is a C library."""
        out = []
        for kind, a, b in regions:
            words_a = self.words(self.runs[0], a)
            words_b = self.words(self.runs[1], b)
            if kind == "aligned" and words_a != words_b:
                raise Failure(f"different lines are aligned: {words_a} and {words_b}")
            if not words_a and not words_b and (self.program.build != "small" or self.case.by_function):
                continue
            if out and out[-1][0] == kind:
                for words, more in zip(out[-1][1:], (words_a, words_b)):
                    same = words and more and words[-1] == more[0] and not self.case.by_function
                    words += more[1:] if same else more
            else:
                out.append((kind, words_a, words_b))
        return out

    def check_table(self, regions):
        found = self.found(regions)
        expected = [(kind, a, a if b is None else b) for kind, a, b in self.case.tables[self.thread]]
        if expected[0][1][:1] == ["..."] and found and found[0][0] == "aligned":
            words = expected[0][1][1:]
            if found[0][1][-len(words):] == words:
                found[0] = expected[0] = ("aligned", [], [])
        if found != expected:
            text = [f"thread {self.thread}: {sum(x != y for x, y in zip(found, expected))} regions differ, {len(found)} found of {len(expected)}"]
            for kind, a, b in found:
                text.append("//@ = " + " ".join(a) if kind == "aligned"
                            else f"//@ ! {' '.join(a) or '-'} | {' '.join(b) or '-'}")
            raise Failure("\n".join(text))

    def check_divergences(self, said):
        """What is said about the instruction before a disaligned region."""
        for divergence in said["divergences"]:
            if not divergence["a"].startswith(f"1.{self.thread}."):
                continue
            at = self.runs[0].trace[int(divergence["a"].split(".")[-1])]
            if at.module != self.own:
                continue
            place = divergence["at"]
            line = self.lines.at(at.address)
            if place["function"] != at.function or int(place["address"], 16) != at.address:
                raise Failure(f"divergence is said to be at {place} instead of {at.function}, {at.address:#x}")
            if line and (place["line"], os.path.basename(place["file"])) != (line, self.lines.source):
                raise Failure(f"divergence is said to be at {place} instead of line {line}")


def check(program, case, compiler, level, tmp):
    binary = f"{tmp}/{os.path.basename(program.path)}-{compiler}{level}"
    if not os.path.exists(binary):
        program.compile(compiler, level, binary)
    paths = [f"{tmp}/{side}.twin" for side in "ab"]
    for path, arguments in zip(paths, (case.a, case.b)):
        record(path, [binary] + arguments, env={})
    by_definition = None
    if program.build == "small" or (program.build != "library" and (ALL or os.environ.get("TRUTH_OF") == "naive")):
        by_definition = Naive(*paths)
    has_table = level == ("-O2" if case.by_function else "-O0") and compiler == "gcc"
    if os.environ.get("TRUTH_OF") == "naive":
        if by_definition:
            Comparison(program, case, binary, paths, 1).check_table(regions_by_definition(by_definition))
        return
    said = align(*paths)
    for thread in said["threads"]:
        if thread["regions"]:
            aligned_pairs(thread)
    check_divergences(said)
    for number in case.tables if has_table else ():
        comparison = Comparison(program, case, binary, paths, number)
        comparison.check_table(regions_of(thread_of(said, number)))
        comparison.check_divergences(said)
    if by_definition:
        compare(by_definition, said)


def main():
    names = sys.argv[1:] or sorted(os.path.basename(p) for p in glob.glob(HERE + "/programs/*.c*"))
    failed = cases = 0
    with tempfile.TemporaryDirectory(prefix="twinrun-truth-") as tmp:
        for name in names:
            program = Program(f"{HERE}/programs/{name}")
            for case in program.cases:
                ways = [("gcc", "-O2" if case.by_function else "-O0")]
                if ALL:
                    ways += [("gcc", "-O1"), ("gcc", "-O2"), ("clang", "-O0"), ("clang", "-O2")]
                for compiler, level in sorted(set(ways)):
                    if not shutil.which(compiler):
                        continue
                    cases += 1
                    try:
                        check(program, case, compiler, level, tmp)
                    except Failure as failure:
                        failed += 1
                        print(f"FAIL {name} {compiler} {level}: {case.name()}: {failure}", flush=True)
    print(f"{cases} cases, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

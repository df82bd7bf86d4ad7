#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Matches builds of Debian's programs with each other, and judges the pairs by symbols and by lines.

A pair of binaries is NAME:CHANGE, as lua5.4:O1-O2. For each one the pairs of functions, blocks and data are counted
by rule, level and strength as right, wrong or not judged, and what was found of what there is to be found. Over all
together precision and recall are held against the floors below; the databases themselves must be sound (check.py).

By default those of NORMAL are matched; TWINRUN_TEST_ALL=1 takes all programs and changes. With names of pairs, these.

usage: run.py [-C CACHE] [-o ROWS.json] [--wrong N] [PAIR...]

CACHE is truth-match below TWINRUN_BUILD unless told. --wrong lists up to N wrong pairs of each two binaries, and keeps the
databases in CACHE/match.
"""
import argparse
import collections
import contextlib
import functools
import json
import os
import re
import sqlite3
import subprocess
import sys
import tomllib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "../why"))
import check
import judge
import show
import truth

TWINRUN = os.path.abspath(os.environ.get("TWINRUN", os.path.join(HERE, "../../../build/release/bin/twinrun")))
# Not that of ../why, whose test may run at the same time.
CACHE = os.path.join(os.environ.get("TWINRUN_BUILD", os.path.join(HERE, "../../../build/release")), "truth-match")
ALL = os.environ.get("TWINRUN_TEST_ALL") == "1"
MATCH_SECONDS = 300

# A build: compiler and level, and more flags.
VARIANTS = {
    "O1": ("gcc-O1", []),
    "O2": ("gcc-O2", []),
    "O3": ("gcc-O3", []),
    "Os": ("gcc-Os", []),
    "clang": ("clang-O2", []),
    "clang3": ("clang-O3", []),
    "fixed": ("gcc-O2", ["-fno-pie", "-no-pie"]),
    "whole": ("gcc-O2", ["-fno-reorder-blocks-and-partition"]),
    "frames": ("gcc-O2", ["-fno-omit-frame-pointer"]),
    "noinline": ("gcc-O2", ["-fno-inline-small-functions"]),
    "noalign": ("gcc-O2", ["-fno-align-functions", "-fno-align-loops", "-fno-align-jumps"]),
    "sections": ("gcc-O2", ["-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"]),
}

# A change: two builds, arguments for `match`, and whether columns can be compared; those of two compilers cannot.
CHANGES = {
    "O1-O2": ("O1", "O2", [], True),
    "O2-O3": ("O2", "O3", [], True),
    "gcc-clang": ("O2", "clang", [], False),
    "fixed-pie": ("fixed", "O2", [], True),
    "no-names": ("O2", "O2", ["--no-names"], True),
    "cold-whole": ("O2", "whole", [], True),
    "O2-Os": ("O2", "Os", [], True),
    "clang-O3": ("clang", "clang3", [], True),
    "frames": ("O2", "frames", [], True),
    "noinline": ("O2", "noinline", [], True),
    "noalign-no-names": ("O2", "noalign", ["--no-names"], True),
    "sections-no-names": ("O2", "sections", ["--no-names"], True),
    "fixed-pie-no-names": ("fixed", "O2", ["--no-names"], True),
    "O2-O3-no-names": ("O2", "O3", ["--no-names"], True),
}
FIRST_CHANGES = ("O1-O2", "O2-O3", "gcc-clang", "fixed-pie", "no-names", "cold-whole")
# Two versions of one program: the older one by the newer one.
OLDER = {"lua5.4": "lua5.3"}
VERSIONS = {"version": ("O2", []), "version-O3": ("O3", []), "version-no-names": ("O2", ["--no-names"])}

NORMAL = ([f"{name}:{change}" for name in ("lua5.4", "yajl") for change in FIRST_CHANGES]
          + [f"lua5.4:{change}" for change in ("version", "version-no-names", "O2-O3-no-names", "fixed-pie-no-names")]
          + ["html2text:O2-O3", "html2text:no-names"])
ALL_NAMES = ("lua5.4", "html2text", "yajl", "bzip2", "cjson", "cmark", "libjsoncpp", "unzip")
EVERY = [f"{name}:{change}" for name in ALL_NAMES for change in CHANGES] + [f"lua5.4:{version}" for version in VERSIONS]

# Least precision of a strength, and least recall of a subject; both over all pairs of binaries together.
PRECISION = {"exact": 0.999, "strong": 0.99, "fair": 0.95}
FLOORS = {
    "normal": {"function": 0.98, "basicblock": 0.90, "data": 0.92},
    "all": {"function": 0.98, "basicblock": 0.88, "data": 0.91},
}


def load_packages():
    packages = truth.load_packages()
    with open(os.path.join(HERE, "packages.toml"), "rb") as file:
        return packages | tomllib.load(file)


def build(name, package, variant, cache):
    """The tree and the program."""
    how, flags = VARIANTS[variant]
    tree = truth.fetch(name, package, cache)
    words = how + "".join(flags)
    program = os.path.join(cache, "match", truth.recipe(name, package), words, "program")
    if not os.path.exists(program):
        objects = []
        for source in truth.package_sources(package, tree):
            objects.append(os.path.join(os.path.dirname(program), source + ".o"))
            truth.compile_one(how, package, tree, source, objects[-1], flags)
        truth.link(how, package, tree, objects, program, flags)
    return tree, program


def source_pairs(old, new):
    """{name: (old path, new path)} of the source files that both trees have: lines know their names only, so none may
    be there twice."""
    found = []
    for tree in (old, new):
        paths = [os.path.join(where, name) for where, _, names in os.walk(tree) for name in names
                 if name.endswith((".c", ".h", ".C", ".cpp")) and not re.search(r"/(\.pc|debian)(/|$)", where)]
        found.append({os.path.basename(path): path for path in paths})
        if len(found[-1]) != len(paths):
            raise truth.Failure(f"{tree}: several source files have one name")
    return {name: (path, found[1][name]) for name, path in found[0].items() if name in found[1]}


def match(old, new, database, flags=()):
    done = subprocess.run([TWINRUN, "match", old, new, "-f", "-o", database, *flags], check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=MATCH_SECONDS)
    if done.returncode not in (0, 1):
        raise truth.Failure(f"match {old} {new}: status {done.returncode}: "
                            + done.stderr.decode(errors="replace").strip()[-500:])


class Pair:
    """Two binaries, and what is known about them."""

    def __init__(self, title, packages, cache):
        self.title = title
        self.name, self.change = title.split(":")
        line_map = None
        if self.change in VERSIONS:
            older, (variant, self.flags) = OLDER[self.name], VERSIONS[self.change]
            old_tree, self.old = build(older, packages[older], variant, cache)
            new_tree, self.new = build(self.name, packages[self.name], variant, cache)
            line_map = judge.LineMap(source_pairs(old_tree, new_tree))
            columns = True
        else:
            old, new, self.flags, columns = CHANGES[self.change]
            self.old = build(self.name, packages[self.name], old, cache)[1]
            self.new = build(self.name, packages[self.name], new, cache)[1]
        self.truth = judge.Judge(self.old, self.new, line_map, columns)
        self.database = os.path.join(cache, "match", title.replace(":", "-") + ".db")


@functools.cache
def blocks_of(program, database):
    """All of them, those of functions without a partner as well, which `unmatched` does not list."""
    match(program, program, database)
    with contextlib.closing(sqlite3.connect(database)) as connection:
        blocks = connection.execute("select address1, address1 + size1 from basicblock").fetchall()
        every, = connection.execute("select basicblocks from file where side = 'old'").fetchone()
    os.unlink(database)
    if len(blocks) != every:
        raise truth.Failure(f"{program}: matched with itself, {len(blocks)} of {every} blocks have a partner")
    return blocks


def recall_lines(recall):
    return [f"{subject:11} {'found':36} {found:8} of {there:8} {'':5} {found / there if there else 1:7.4f}"
            for subject, (found, there) in recall.items()]


def below_floors(rows, recall, floors):
    """What is not good enough; recall is not looked at without floors."""
    wrong = []
    by_strength = collections.defaultdict(collections.Counter)
    for (subject, _, _, strength), counts in rows.items():
        by_strength[subject, strength] += counts
    for (subject, strength), counts in sorted(by_strength.items()):
        judged = counts[judge.RIGHT] + counts[judge.WRONG]
        if judged and counts[judge.RIGHT] < PRECISION.get(strength, 0) * judged:
            wrong.append(f"{subject}: {counts[judge.RIGHT]} of {judged} that are {strength} are right, "
                         f"{counts[judge.RIGHT] / judged:.4f}, but at least {PRECISION[strength]} are to be")
    for subject, (found, there) in recall.items():
        if floors and not there:
            wrong.append(f"{subject}: there was nothing to be found")
        elif floors and found < floors[subject] * there:
            wrong.append(f"{subject}: {found} of {there} were found, {found / there:.4f}, less than {floors[subject]}")
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-C", dest="cache")
    parser.add_argument("-o", dest="rows")
    parser.add_argument("--wrong", type=int, default=0)
    parser.add_argument("pairs", nargs="*")
    arguments = parser.parse_args()
    if not os.access(TWINRUN, os.X_OK):
        raise truth.Failure(f"{TWINRUN} cannot be run; TWINRUN names another one")
    packages, cache = load_packages(), truth.cache_directory(arguments.cache or CACHE)
    titles = arguments.pairs or (EVERY if ALL else NORMAL)
    for title in titles:
        if title not in EVERY:
            raise truth.Failure(f"no pair is named {title}; there are: {' '.join(EVERY)}")
    rows, recall, wrong, kept = collections.defaultdict(collections.Counter), {}, [], []
    for title in titles:
        pair = Pair(title, packages, cache)
        match(pair.old, pair.new, pair.database, pair.flags)
        wrong += [f"{title}: {text}" for text in check.check(pair.database, (pair.old, pair.new), pair.truth.symbols)]
        of_pair, mistakes = judge.judge(pair.database, pair.truth)
        found = judge.recall(pair.database, pair.truth, blocks_of(pair.old, os.path.join(cache, "match", "own.db")))
        print("\n".join([title, *show.table(of_pair), *recall_lines(found)]))
        for subject, rule, level, strength, old, new in mistakes[:arguments.wrong]:
            print(f"wrong {subject} {rule} {level} {strength} {old:#x} {new:#x}")
        print(flush=True)
        for row, counts in of_pair.items():
            rows[row] += counts
        for subject, (part, whole) in found.items():
            recall[subject] = tuple(x + y for x, y in zip(recall.get(subject, (0, 0)), (part, whole)))
        kept.append({"pair": title, "recall": found, "rows": [[*row, dict(counts)] for row, counts in sorted(of_pair.items())]})
        if not arguments.wrong:
            os.unlink(pair.database)
    print("\n".join([f"all {len(titles)}", *show.table(rows), *recall_lines(recall)]), flush=True)
    if arguments.rows:
        with open(arguments.rows, "w", encoding="utf-8") as file:
            json.dump(kept, file, indent=1)
    wrong += below_floors(rows, recall, None if arguments.pairs else FLOORS["all" if ALL else "normal"])
    if wrong:
        truth.die("\n".join(wrong))


if __name__ == "__main__":
    try:
        main()
    except truth.Failure as failure_of_all:
        truth.die(str(failure_of_all))
    sys.exit(0)

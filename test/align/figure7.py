#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The program of figure 7 of the memory indexing paper: do the indices of naive.py make the trees of its text?

The figure itself is lost in the text, so the trees are taken from the prose of section 4.1.1: six
statements are children of the root, 1, 3, 4, 5, 10 and 11, whatever 1 and 5 decide; statement 2 of the
second iteration is [F, 1T, 1T, 2]; the allocation of statement 7 is [F, 5T, 7]; the trees of the two
runs align except for the subtree of 5T. The test of a loop is executed inside the loop, too, so 1 is
also a child of 1T. 1T, 1T is written as one entry with a counter.
"""
import sys
import tempfile

sys.dont_write_bytecode = True
from naive import Naive, compare  # noqa: E402
from recording import HERE, Failure, Lines, record, run  # noqa: E402

LOOP = {("1T",): {1, 2}, ("1T", "1T"): {1, 2}, ("1T", "1T", "1T"): {1, 2}}
ROOT = {(): {1, 3, 4, 5, 10, 11}}
TRUE = {("5T",): {6, 7}}
FALSE = {("5F",): {9}}


class Figure:
    def __init__(self, binary):
        source = HERE + "/programs/figure7.c"
        self.lines = Lines(binary, source)
        self.statements = {}
        with open(source, encoding="ascii") as f:
            for number, line in enumerate(f, 1):
                if line.split("//")[-1].strip().isdigit():
                    self.statements[number] = int(line.split("//")[-1])

    def statement(self, address):
        return self.statements.get(self.lines.at(address))

    def tree(self, code, recording, indices):
        """The statements of F by their place in the tree."""
        out = {}
        entry = next(at.address for at in recording.trace if at.function == "F")
        for at, (path, _, _, _) in zip(recording.trace, indices):
            number = self.statement(at.address)
            if at.function != "F" or number is None:
                continue
            start = max(i for i, (kind, _, to, _) in enumerate(path) if kind == "call" and to[1] == entry)
            place = ()
            for _, site, outcome, count in path[start + 1:]:
                # Where the predicate led to tells its outcome: 2, 6 are inside, 9 is the other side.
                to = self.statement(outcome[1])
                end = code.function_at(*site).blocks[site[1]].end
                place += (f"{self.statement(end - 1)}{'F' if to == 9 else 'T'}",) * count
            out.setdefault(place, set()).add(number)
        return out


def check(figure, passing, failing):
    both = Naive(passing, failing)
    trees = figure.tree(both.code, both.a, both.index_a), figure.tree(both.code, both.b, both.index_b)
    for tree, expected in zip(trees, (ROOT | LOOP | TRUE, ROOT | LOOP | FALSE)):
        if tree != expected:
            raise Failure(f"the tree is {tree} instead of {expected}")
    aligned = {a for a, _ in both.pairs}, {b for _, b in both.pairs}
    for recording, steps, inside in ((both.a, aligned[0], {6, 7}), (both.b, aligned[1], {9})):
        for step, at in enumerate(recording.trace):
            if at.function == "F" and (step in steps) == (figure.statement(at.address) in inside):
                raise Failure(f"{recording.path}: step {step} of statement {figure.statement(at.address)} is "
                              f"{'' if step in steps else 'not '}aligned")
    compare(both)


def main():
    with tempfile.TemporaryDirectory(prefix="twinrun-figure7-") as tmp:
        run(["gcc", "-O0", "-g", "-static", "-nostdlib", "-fno-stack-protector", "-o", tmp + "/f",
             HERE + "/programs/figure7.c"])
        # The passing run prints 1 + 1, the failing one, which takes the false branch, 3 + 0.
        printed = [record(tmp + "/passing.twin", [tmp + "/f"]), record(tmp + "/failing.twin", [tmp + "/f", "x"])]
        try:
            if printed != [b"2", b"3"]:
                raise Failure(f"the runs print {printed}")
            check(Figure(tmp + "/f"), tmp + "/passing.twin", tmp + "/failing.twin")
        except Failure as failure:
            sys.exit(f"FAIL {failure}")
    print("ok")


if __name__ == "__main__":
    main()

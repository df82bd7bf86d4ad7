#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The judge of the second truth set, on answers made by hand, and what the set promises."""
import collections
import os
import unittest

import bugs
import judge
import reached
import truth

ROOTS = {("src/lexer.c", 42), ("src/lexer.c", 44)}
FUNCTIONS = {"lexer.c": ((10, "skip"), (30, "number"), (60, "word")), "main.c": ((1, "main"),)}
GOOD = judge.Inputs(["-x", "good.txt"], None, {"good.txt": b"abc", "bad.txt": b"abX", "same.txt": b"s"}, {"TZ": "UTC"})
BAD = judge.Inputs(["-y", "bad.txt"], None, GOOD.files, {"TZ": "UTC"})
ANSWER = """p is 2 in B, 1 in A: only B comes to main.c:7, which writes it
They differ because bad.txt, line 1, column 3 has "X" where good.txt has "c"
   called at      main.c:8  run();

A  ./count -x lexer.c:42   exit 0   126 k instructions
B  ./count -y              exit 1   117 k instructions
   input  argv[1]  A: "-x"  B: "-y"

  D1  exit status                           0 | 1
   |  A  main.c:9  return 0;
   |  B  main.c:7  log("stdio.h:3 lost");
   |  lexer.c:33  while (isdigit(*p)) p++;  p = 1 | 2
  D2  only B writes p                       <-- first wrong state
  ----
  Also suspicious
      lexer.c:61  if (x)                    (only B executes it, also lines 63, 42 of word)
      lexer.c:44  p = end;

Aligned 99.0% of A, 98.0% of B; 3 divergences. The graph has 3 lines.
next:  twinrun report a b -o why.html    twinrun show D2 a b
"""


def function_of(path, line):
    name = os.path.basename(path)
    begin = [pair for pair in FUNCTIONS.get(name, ()) if pair[0] <= line]
    return (name, *begin[-1]) if begin else None


def judged(text=ANSWER, roots=None, misuse=False):
    return judge.judge(text, roots or ROOTS, function_of, FUNCTIONS.__contains__, (GOOD, BAD), misuse)


def said(text, misuse=False):
    """What is thought of a headline."""
    return judged(f"{text}\n\nA  a   exit 0   1 instructions\nB  b   exit 1   1 instructions\n", misuse=misuse)["headline"]


class Text(unittest.TestCase):
    def test_lines_are_counted_in_the_order_of_the_text(self):
        self.assertEqual(judge.printed_places(ANSWER, FUNCTIONS.__contains__),
                         [("main.c", 7), ("main.c", 8), ("main.c", 9), ("lexer.c", 33), ("lexer.c", 61), ("lexer.c", 63),
                          ("lexer.c", 42), ("lexer.c", 44)])
        got = judged()
        self.assertEqual((got["lines"], got["rank"], got["found"], got["first"]), (8, 7, True, True))

    def test_commands_and_files_that_are_no_sources_do_not_count(self):
        self.assertNotIn(("stdio.h", 3), judge.printed_places(ANSWER, FUNCTIONS.__contains__))
        self.assertEqual(judge.printed_places(ANSWER.split("\n")[4], FUNCTIONS.__contains__), [])

    def test_a_line_counts_once(self):
        self.assertEqual(judge.printed_places("  |  main.c:9 x\n  |  main.c:9 y  (also lines 9, 10 of main)", FUNCTIONS.__contains__),
                         [("main.c", 9), ("main.c", 10)])

    def test_tenth_line_is_among_the_first_and_the_eleventh_is_not(self):
        for before, first in ((9, True), (10, False)):
            text = "".join(f"  |  main.c:{i + 100} x\n" for i in range(before)) + "  |  lexer.c:42  y\n"
            got = judged(text)
            self.assertEqual((got["found"], got["first"], got["function"]), (True, first, first))

    def test_other_line_of_the_function_is_no_cause_but_its_function(self):
        got = judged("  |  lexer.c:41  y\n")
        self.assertEqual((got["found"], got["function"]), (False, True))
        got = judged("  |  lexer.c:61  y\n")
        self.assertEqual((got["found"], got["function"]), (False, False))

    def test_line_of_a_file_of_that_name_elsewhere_is_no_cause(self):
        self.assertFalse(judged("  |  main.c:42  y\n")["found"])

    def test_empty_answer(self):
        got = judged("")
        self.assertEqual((got["found"], got["function"], got["headline"], got["said"]), (False, False, "nothing", ""))

    def test_headline_is_what_stands_before_the_runs(self):
        lines = judge.headline(ANSWER).split("\n")
        self.assertEqual(len(lines), 2)
        self.assertTrue(lines[0].startswith("p is 2 in B") and lines[1].startswith("They differ because bad.txt"))

    def test_inputs_that_differ_have_meaning(self):
        for text in ("They differ because argv[1], byte 1 is 'x' in A, 'y' in B",
                     "They differ because bad.txt, byte 2 is 'X' in B; in A good.txt, byte 2 is 'c'",
                     "They differ because of bad.txt (A: good.txt)",
                     'They differ because open("made.txt") succeeds in B; in A it fails with ENOENT'):
            self.assertEqual(said(text), "meaning", text)

    def test_files_that_the_runs_made_can_differ(self):
        made = [judge.Inputs(run.args, None, run.files | {"tool": text}, {}) for run, text in ((GOOD, b"#!"), (BAD, b"#1"))]
        self.assertEqual(judge.named_inputs("They differ because ./tool, byte 1 is '!' in A, '1' in B", *made), [True])

    def test_inputs_that_are_the_same_mislead(self):
        for text in ("They differ because argv[0], byte 1 is 'x' in A, 'y' in B",
                     "They differ because bad.txt, byte 1 is 'b' in B; in A good.txt, byte 1 is 'b'",
                     "They differ because same.txt, byte 0 is 's' in A, 't' in B",
                     "They differ because ld.so.cache, byte 5 is 1 in A, 2 in B",
                     "They differ because of environment variable TZ (A: TZ)",
                     'They differ because openat("/etc/passwd") succeeds in B; in A it fails with ENOENT'):
            self.assertEqual(said(text), "misleading", text)

    def test_what_tells_nothing_misleads(self):
        for text in ("They differ because clock_gettime() is 5 in A, 6 in B", "They differ because getpid() is 5 in A, 6 in B",
                     "They differ because of random bytes",
                     "No difference: both runs ended alike, wrote the same, and took the same way"):
            self.assertEqual(said(text), "misleading", text)

    def test_place_of_the_cause_has_meaning_and_others_say_nothing(self):
        self.assertEqual(said("They part at lexer.c:42; no input was found behind it"), "meaning")
        self.assertEqual(said("They part at lexer.c:50; no input was found behind it"), "meaning")
        self.assertEqual(said("They part in number(); no input was found behind it"), "meaning")
        for text in ("They part at main.c:9; no input was found behind it", "They part at _start+0x1b; no input was found",
                     "They part at memcpy+0x10; no input was found behind it", "They differ because of pipe, byte 3 (A: nothing)",
                     "They differ because of fresh memory (A: fresh memory)", ""):
            self.assertEqual(said(text), "nothing", text)

    def test_misuse_counts_where_there_is_one(self):
        text = "B writes behind the end of a block of 16 bytes"
        self.assertEqual((said(text, misuse=True), said(text)), ("meaning", "nothing"))


class Sums(unittest.TestCase):
    def rows(self, level, good, bad):
        return [{"build": "gcc-" + level} | dict.fromkeys(judge.SUMS, right)
                for right, count in ((True, good), (False, bad)) for _ in range(count)]

    def test_levels_are_apart(self):
        sums = judge.totals(self.rows("O0", 3, 1) + self.rows("O2", 1, 1))
        self.assertEqual((sums["O0"]["found"], sums["O2"]["function"]), (0.75, 0.5))

    def test_floors_are_exact(self):
        self.assertEqual(judge.below_floors(self.rows("O0", 3, 1), {"O0": {"found": 0.75}}), [])
        told = judge.below_floors(self.rows("O0", 3, 2), {"O0": {"found": 0.75}})
        self.assertEqual(told, ["O0, found: 60%, at least 75% are wanted"])

    def test_floors_are_of_sums_that_there_are(self):
        for level in ("O0", "O2"):
            self.assertLessEqual(set(judge.FLOORS[level]), set(judge.SUMS))
            self.assertEqual(set(judge.WANTED[level]), set(judge.SUMS))


class TheSet(unittest.TestCase):
    """The set is what its README promises, without building anything."""

    def test_cases(self):
        cases, packages = truth.load_cases(where=bugs.HERE), truth.load_packages(bugs.HERE)
        self.assertGreaterEqual(len(cases), 30)
        used = {case.package for case in cases}
        self.assertGreaterEqual(len(used), 10)
        self.assertEqual(used, set(packages))
        self.assertFalse(used & set(truth.load_packages()))
        count = collections.Counter(name for case in cases for name in case.data["properties"])
        self.assertGreaterEqual(sum(bool({"interpreter", "multi-process"} & set(case.data["properties"])) for case in cases), 12)
        self.assertGreaterEqual(count["c++"], 6)
        self.assertGreaterEqual(count["misuse"], 8)
        self.assertGreaterEqual(sum(case.data["real"] for case in cases), 12)
        with open(os.path.join(bugs.HERE, "README.md"), encoding="utf-8") as file:
            table = file.read()
        for case in cases:
            bugs.check(case, packages)
            self.assertIn(f"| {case.name} | {case.package} |", table)
            self.assertTrue(case.data["why"].endswith("."), case.name)
            self.assertTrue({root["file"] for root in case.data["root"]} <= set(case.patched), case.name)

    def test_names_are_not_those_of_the_first_set(self):
        names = {case.name for case in truth.load_cases(where=bugs.HERE)}
        self.assertFalse(names & {case.name for case in truth.load_cases()})

    def test_what_is_known_is_of_rows_that_there_are(self):
        known = reached.load(os.path.join(bugs.HERE, "reached.json"))
        cases = {case.name: case for case in truth.load_cases(where=bugs.HERE)}
        for name, builds in known.items():
            for build, level in builds.items():
                self.assertIsNone(cases[name].silent(build), name)
                self.assertIn(level, {"missed", "found", "first lines"})


if __name__ == "__main__":
    unittest.main()

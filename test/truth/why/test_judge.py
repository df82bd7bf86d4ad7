#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""judge.py and what run.py and build.py share, on answers made by hand."""
import copy
import os
import tempfile
import unittest

import judge
import truth

ROOTS = {("src/lexer.c", 40), ("src/lexer.c", 42)}
ANSWER = {
    "schema": "twinrun.why.v1",
    "result": "different",
    "verdict": "a quote is missing",
    "target": {"kind": "exit", "text": "exit status A: 0 B: 1"},
    "answer": [
        {"id": "D1", "text": "exit status", "places": []},
        {"id": None, "text": "main.c:9", "places": [{"run": "b", "file": "src/main.c", "line": 9}]},
        {"id": "D2", "text": "lexer.c:40", "places": [{"run": "both", "file": "src/lexer.c", "line": 40}]},
    ],
    "graph": {
        "nodes": [
            {"id": "N1", "kind": "b", "a": None, "b": {"file": "src/main.c", "line": 9, "function": "main"}},
            {"id": "N2", "kind": "aligned", "a": {"file": "src/lexer.c", "line": 40, "function": "next"},
             "b": {"file": "src/lexer.c", "line": 40, "function": "next"}},
            {"id": "N3", "kind": "input", "a": None, "b": None},
        ],
        "edges": [{"from": "N1", "to": "N2", "kind": "control"}, {"from": "N2", "to": "N3", "kind": "data"}],
    },
    "statements": [{"file": "src/main.c", "line": 9}, {"file": "src/lexer.c", "line": 40}],
    "basic_statements": 2,
    "statements_left_out": 5,
}


def changed(**fields):
    answer = copy.deepcopy(ANSWER)
    answer.update(fields)
    return answer


def row(build, found, first=True, nodes=10):
    return {"case": "x", "build": build, "found": found, "first": first, "basic": nodes, "without": 20, "naive": 7,
            "naive_found": False}


class OneAnswer(unittest.TestCase):
    def test_cause_in_graph_and_first_lines(self):
        got = judge.judge(ANSWER, ROOTS)
        self.assertEqual((got["nodes"], got["found"], got["first"]), (2, True, True))
        self.assertEqual((got["basic"], got["left_out"], got["instructions"]), (2, 5, 3))
        self.assertIsNone(got["without"])
        self.assertEqual(got["rank"], 2)

    def test_other_line_of_the_same_file_is_no_cause(self):
        got = judge.judge(ANSWER, {("src/lexer.c", 41)})
        self.assertFalse(got["in_graph"] or got["found"] or got["first"])

    def test_same_line_of_another_file_is_no_cause(self):
        self.assertFalse(judge.judge(ANSWER, {("src/parser.c", 40)})["found"])

    def test_paths_are_compared_by_their_ends(self):
        self.assertTrue(judge.same_file("/build/x/src/lexer.c", "src/lexer.c"))
        self.assertTrue(judge.same_file("lexer.c", "src/lexer.c"))
        self.assertTrue(judge.same_file("./src/lexer.c", "src/lexer.c"))
        self.assertFalse(judge.same_file("src/mylexer.c", "lexer.c"))
        self.assertFalse(judge.same_file("lib/lexer.c", "src/lexer.c"))
        self.assertFalse(judge.same_file("", "src/lexer.c"))

    def test_cause_in_a_graph_of_150_nodes_is_found_and_of_151_not(self):
        for count, found in ((150, True), (151, False)):
            statements = [{"file": "src/lexer.c", "line": 40}] + [{"file": "src/z.c", "line": i} for i in range(1, count)]
            got = judge.judge(changed(statements=statements), ROOTS)
            self.assertEqual((got["nodes"], got["in_graph"], got["found"]), (count, True, found))

    def test_tenth_line_is_among_the_first_and_the_eleventh_is_not(self):
        filler = {"id": None, "text": "", "places": [{"run": "b", "file": "src/z.c", "line": 1}]}
        for before, first in ((9, True), (10, False)):
            answer = [filler] * before + [ANSWER["answer"][2]]
            self.assertEqual(judge.judge(changed(answer=answer), ROOTS)["first"], first)

    def test_runs_said_to_be_the_same_explain_nothing(self):
        got = judge.judge(changed(result="same"), ROOTS)
        self.assertFalse(got["found"] or got["first"])

    def test_size_without_normalization(self):
        self.assertEqual(judge.judge(ANSWER, ROOTS, changed(basic_statements=99))["without"], 99)

    def test_broken_answers_are_refused(self):
        dangling = dict(ANSWER["graph"], edges=[{"from": "N1", "to": "N9", "kind": "data"}])
        twice = dict(ANSWER["graph"], nodes=ANSWER["graph"]["nodes"] * 2)
        for answer in (changed(schema="twinrun.why/2"), changed(result="maybe"), changed(graph=dangling),
                       changed(graph=twice), changed(answer=[{"id": None, "text": "no places"}])):
            with self.assertRaises(judge.BadAnswer):
                judge.judge(answer, ROOTS)

    def test_naive_method_counts_lines_of_one_run_only(self):
        a = {("src/main.c", 1), ("src/main.c", 2)}
        b = {("src/main.c", 1), ("src/lexer.c", 42), ("src/lexer.c", 50)}
        self.assertEqual(judge.judge_naive(a, b, ROOTS), {"naive": 3, "naive_found": True})
        self.assertEqual(judge.judge_naive(b, b, ROOTS), {"naive": 0, "naive_found": False})


class ManyAnswers(unittest.TestCase):
    def test_totals(self):
        rows = [row("gcc-O0", True), row("clang-O0", False, nodes=200), row("gcc-O2", True, first=False)]
        sums = judge.totals(rows)
        self.assertEqual((sums["O0"], sums["O2"], sums["median nodes"], sums["naive share"]), (0.5, 1.0, 10, 0.0))
        self.assertAlmostEqual(sums["first lines"], 2 / 3)

    def test_floor_of_all_is_exact(self):
        rows = [row("gcc-O0", True)] * 17 + [row("gcc-O0", False)] * 3
        self.assertEqual(judge.below_floors(rows, False, judge.WANTED), [])
        self.assertEqual(len(judge.below_floors(rows + [row("gcc-O0", False)], False, judge.WANTED)), 1)

    def test_levels_have_floors_of_their_own(self):
        rows = [row("gcc-O2", True)] * 75 + [row("gcc-O2", False)] * 25
        self.assertEqual(judge.below_floors(rows, False, judge.WANTED), [])
        self.assertTrue(judge.below_floors([row("gcc-O0", r["found"]) for r in rows], False, judge.WANTED)[0].startswith("O0"))

    def test_sample_may_miss_a_row_more_but_not_all(self):
        rows = [row("gcc-O0", True)] * 9 + [row("gcc-O0", False)] * 3
        self.assertEqual(judge.below_floors(rows, True, judge.WANTED), [])
        self.assertNotEqual(judge.below_floors(rows, False, judge.WANTED), [])
        self.assertNotEqual(judge.below_floors([row("gcc-O0", False)] * 12, True, judge.WANTED), [])

    def test_first_lines_and_large_graphs_are_told(self):
        rows = [row("gcc-O0", True, first=False, nodes=61)] * 10
        told = judge.below_floors(rows, False, judge.WANTED)
        self.assertEqual(len(told), 2)
        self.assertIn("first lines", told[0])
        self.assertIn("median", told[1])


class Behaviour(unittest.TestCase):
    def setUp(self):
        self.case = truth.load_cases(["yajl-depth"])[0]
        self.fine = truth.Behaviour(0, b"x", {})

    def judged(self, side, seen, fails=None, reference=None):
        self.case.data["fails"] = fails or self.case.data["fails"]
        return truth.judge_behaviour(self.case, "gcc-O2", side, seen, reference or self.fine)

    def test_good_run_must_be_the_unpatched_programs(self):
        self.assertIsNone(self.judged("good", truth.Behaviour(0, b"x", {})))
        for other in (truth.Behaviour(1, b"x", {}), truth.Behaviour(0, b"y", {}), truth.Behaviour(0, b"x", {"f": b""})):
            self.assertIsNotNone(self.judged("good", other))

    def test_ways_to_fail(self):
        hang, crash = truth.Behaviour(None, b"", {}), truth.Behaviour(-11, b"", {})
        wrong, status = truth.Behaviour(0, b"y", {}), truth.Behaviour(3, b"x", {})
        ways = {"hang": ({"how": "hang"}, hang), "signal": ({"how": "signal", "signal": "SIGSEGV"}, crash),
                "exit": ({"how": "exit", "status": 3}, status), "output": ({"how": "output"}, wrong)}
        for name, (fails, _) in ways.items():
            for other, (_, seen) in ways.items():
                self.assertEqual(self.judged("bad", seen, fails) is None, name == other, (name, other))
            self.assertIsNotNone(self.judged("bad", self.fine, fails))

    def test_failure_that_varies_only_has_to_differ(self):
        for seen in (truth.Behaviour(None, b"", {}), truth.Behaviour(0, b"y", {})):
            self.assertIsNone(self.judged("bad", seen, {"how": "varies"}))
        self.assertIsNotNone(self.judged("bad", self.fine, {"how": "varies"}))

    def test_build_may_fail_in_its_own_way(self):
        wrong = truth.Behaviour(0, b"y", {})
        self.assertIsNone(self.judged("bad", wrong, {"how": "hang", "gcc-O2": {"how": "output"}}))
        self.assertIsNotNone(self.judged("bad", wrong, {"how": "hang", "gcc-O0": {"how": "output"}}))

    def test_files_are_part_of_the_output(self):
        self.assertIsNone(self.judged("bad", truth.Behaviour(0, b"x", {"new": b"1"}), {"how": "output"}))

    def test_inputs_lose_the_ending_that_hides_them(self):
        with tempfile.TemporaryDirectory() as directory:
            os.mkdir(directory + "/to")
            open(directory + "/good.c.input", "w", encoding="utf-8").close()
            truth.copy_inputs(directory, ["good.c.input"], directory + "/to")
            self.assertEqual(os.listdir(directory + "/to"), ["good.c"])


class TheSet(unittest.TestCase):
    """The set is what its README promises, without building anything."""

    def test_cases(self):
        cases, packages = truth.load_cases(), truth.load_packages()
        self.assertGreaterEqual(len(cases), 38)
        self.assertGreaterEqual(len({kind for case in cases for kind in case.kinds}), 8)
        self.assertGreaterEqual(sum(case.omission for case in cases), 10)
        self.assertGreaterEqual(sum("mutation" in case.data["origin"] for case in cases), 12)
        self.assertGreaterEqual(sum("debian patch" in case.data["origin"] for case in cases), 6)
        self.assertGreaterEqual(sum(packages[case.package]["language"] == "c++" for case in cases), 5)
        self.assertEqual({case.fails("gcc-O0")["how"] for case in cases}, {"exit", "hang", "output", "signal"})
        with open(os.path.join(truth.HERE, "README.md"), encoding="utf-8") as file:
            table = file.read()
        for case in cases:
            self.assertIn(f"| {case.name} | {case.package} |", table)
            self.assertTrue(set(case.kinds) <= set(truth.KINDS), case.name)
            self.assertTrue(case.data["why"].endswith("."), case.name)
            self.assertTrue(case.patched and {root["file"] for root in case.data["root"]} <= set(case.patched), case.name)


if __name__ == "__main__":
    unittest.main()

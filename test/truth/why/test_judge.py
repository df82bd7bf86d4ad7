#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""judge.py, reached.py and what run.py and build.py share, on answers made by hand."""
import copy
import os
import tempfile
import unittest

import judge
import reached
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
    "statements": [{"id": "S0", "file": "src/main.c", "line": 9}, {"id": "S1", "file": "src/lexer.c", "line": 40}],
    "suspects": [],
    "basic_statements": 2,
    "statements_left_out": 5,
}


def changed(**fields):
    answer = copy.deepcopy(ANSWER)
    answer.update(fields)
    return answer


def row(build, found, first=True, nodes=10, case="x"):
    return {"case": case, "build": build, "found": found, "first": first, "basic": nodes, "without": 20, "naive": 7,
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
        self.assertTrue(truth.same_file("/build/x/src/lexer.c", "src/lexer.c"))
        self.assertTrue(truth.same_file("lexer.c", "src/lexer.c"))
        self.assertTrue(truth.same_file("./src/lexer.c", "src/lexer.c"))
        self.assertFalse(truth.same_file("src/mylexer.c", "lexer.c"))
        self.assertFalse(truth.same_file("lib/lexer.c", "src/lexer.c"))
        self.assertFalse(truth.same_file("", "src/lexer.c"))

    def test_cause_in_a_graph_of_150_nodes_is_found_and_of_151_not(self):
        for count, found in ((150, True), (151, False)):
            statements = [{"id": "S0", "file": "src/lexer.c", "line": 40}]
            statements += [{"id": f"S{i}", "file": "src/z.c", "line": i} for i in range(1, count)]
            got = judge.judge(changed(statements=statements), ROOTS)
            self.assertEqual((got["nodes"], got["in_graph"], got["found"]), (count, True, found))

    def test_tenth_line_is_among_the_first_and_the_eleventh_is_not(self):
        filler = {"id": None, "text": "", "places": [{"run": "b", "file": "src/z.c", "line": 1}]}
        for before, first in ((9, True), (10, False)):
            answer = [filler] * before + [ANSWER["answer"][2]]
            self.assertEqual(judge.judge(changed(answer=answer), ROOTS)["first"], first)

    def test_suspects_are_printed_before_the_answer(self):
        self.assertTrue(judge.judge(changed(suspects=["S1"], answer=[]), ROOTS)["first"])
        self.assertFalse(judge.judge(changed(suspects=["S0"] * judge.ANSWER_LINES), ROOTS)["first"])

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
        self.assertEqual(judge.below_floors(rows, judge.WANTED), [])
        self.assertEqual(len(judge.below_floors(rows + [row("gcc-O0", False)], judge.WANTED)), 1)

    def test_levels_have_floors_of_their_own(self):
        rows = [row("gcc-O2", True)] * 75 + [row("gcc-O2", False)] * 25
        self.assertEqual(judge.below_floors(rows, judge.WANTED), [])
        self.assertTrue(judge.below_floors([row("gcc-O0", r["found"]) for r in rows], judge.WANTED)[0].startswith("O0"))

    def test_first_lines_and_large_graphs_are_told(self):
        rows = [row("gcc-O0", True, first=False, nodes=61)] * 10
        told = judge.below_floors(rows, judge.WANTED)
        self.assertEqual(len(told), 2)
        self.assertIn("first lines", told[0])
        self.assertIn("median", told[1])


class Reached(unittest.TestCase):
    KNOWN = {"a": {"gcc-O0": "first lines", "gcc-O2": "found"}, "b": {"gcc-O0": "found", "gcc-O2": "missed"},
             "hard": {"gcc-O0": "missed", "clang-O0": "found"}}

    def lost(self, *rows):
        return reached.changes(rows, self.KNOWN)[0]

    def test_one_lost_row_is_told_and_two_fail(self):
        one = self.lost(row("gcc-O0", False, case="a"), row("gcc-O0", True, case="b"))
        self.assertEqual(one, ["a gcc-O0: missed, was first lines"])
        self.assertEqual(reached.too_much(one), [])
        two = self.lost(row("gcc-O0", False, case="a"), row("gcc-O0", False, case="b"))
        wrong = reached.too_much(two)
        self.assertEqual(len(wrong), 3)
        self.assertIn("b gcc-O0", wrong[2])

    def test_two_builds_of_one_case_are_two_rows(self):
        self.assertTrue(reached.too_much(self.lost(row("gcc-O0", False, case="a"), row("gcc-O2", False, case="a"))))

    def test_what_was_never_found_cannot_be_lost(self):
        self.assertEqual(self.lost(row("gcc-O2", False, case="b"), row("gcc-O0", False, case="hard"),
                                   row("gcc-O0", False, case="new"), row("clang-O2", False, case="a")), [])

    def test_gains_do_not_make_up_for_losses(self):
        self.assertTrue(reached.too_much(self.lost(row("gcc-O0", False, case="a"), row("gcc-O0", False, case="b"),
                                                   row("gcc-O2", True, case="b"), row("gcc-O0", True, case="hard"))))

    def test_first_lines_are_told_apart(self):
        lost, fallen, gained = reached.changes([row("gcc-O0", True, first=False, case="a"), row("gcc-O2", True, case="a"),
                                                row("gcc-O0", True, first=False, case="b")], self.KNOWN)
        self.assertEqual((lost, fallen), ([], ["a gcc-O0: found, was first lines"]))
        self.assertEqual(gained, ["a gcc-O2: first lines, was found"])

    def test_sample_changes_with_the_seed_and_only_with_it(self):
        cases, known = truth.load_cases(), reached.load()
        names = [[case.name for case in reached.draw(cases[::step], known, reached.SAMPLED_BUILDS, 3, seed)]
                 for seed, step in (("5f1c", 1), ("5f1c", -1), ("5f1d", 1), ("5f1e", 1))]
        self.assertEqual(names[0], names[1])
        self.assertEqual(names[0], sorted(set(names[0])))
        self.assertGreater(len({tuple(drawn) for drawn in names}), 1)

    def test_only_what_can_be_lost_is_drawn(self):
        class Named:
            def __init__(self, name):
                self.name = name
        cases = [Named(name) for name in ("a", "b", "hard", "new")]
        for seed in "12345678":
            drawn = [case.name for case in reached.draw(cases, self.KNOWN, ["gcc-O0", "gcc-O2"], 3, seed)]
            self.assertEqual(drawn, ["a", "b"])

    def test_seed_is_the_commit_unless_told(self):
        os.environ["TWINRUN_TEST_SEED"] = "7"
        try:
            self.assertEqual(reached.seed(), "7")
        finally:
            del os.environ["TWINRUN_TEST_SEED"]
        self.assertRegex(reached.seed(), "^([0-9a-f]{40,64}|1)$")

    def test_update_keeps_what_was_not_judged(self):
        after = reached.updated(self.KNOWN, [row("gcc-O2", True, case="b"), row("clang-O2", False, case="new")])
        self.assertEqual(after["b"], {"gcc-O0": "found", "gcc-O2": "first lines"})
        self.assertEqual(after["new"], {"clang-O2": "missed"})
        self.assertEqual(after["hard"], self.KNOWN["hard"])
        with tempfile.TemporaryDirectory() as directory:
            reached.store(after, directory + "/x.json")
            self.assertEqual(reached.load(directory + "/x.json"), after)
            with open(directory + "/x.json", encoding="utf-8") as file:
                self.assertEqual(len(file.read().splitlines()), len(after) + 2)

    def test_all_that_samples_draw_from_is_known(self):
        known = reached.load()
        for case in truth.load_cases():
            for build in reached.SAMPLED_BUILDS:
                self.assertEqual(build in known[case.name], not case.silent(build), case.name)
        self.assertLessEqual({word for builds in known.values() for word in builds.values()},
                             {"missed", "found", "first lines"})


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

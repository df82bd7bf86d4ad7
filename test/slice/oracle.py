#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random programs with two inputs: the Basic graph of `why` against figure 6 by its pseudo-code (figure6.py).

usage: oracle.py [SEED...]

Each program is asked about its exit status, about instructions that both runs executed with different values, and
about instructions that only the second run executed; with address normalization and without. Nodes are compared by
kind, divergence type and steps, edges by their ends, kind and bytes of memory. In every other program the second run
has more in its environment, and every fourth has arrays whose sizes the input tells. Instructions that both runs
executed must also be in what the figure gives to the letter, and every divergence point must lead to different
targets.

TWINRUN_TEST_ALL=1 makes 400 programs instead of 40. TWINRUN_TEST_SEED sets the first seed (1), TWINRUN_TEST_COUNT
the number. A failing program is made smaller; TWINRUN_TEST_KEEP=DIRECTORY keeps it.
"""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(1, HERE + "/../align")
import naive  # noqa: E402
from executed import Run  # noqa: E402
from figure6 import Deviations, Graph  # noqa: E402
from random_code import Program  # noqa: E402
from recording import ALL, TWINRUN, Failure, record  # noqa: E402

COUNT = int(os.environ.get("TWINRUN_TEST_COUNT", 400 if ALL else 40))
KEEP = os.environ.get("TWINRUN_TEST_KEEP")
COMPILERS = [c for c in ("gcc", "clang", "clang-19") if shutil.which(c)][:2]
ROWS = {"extra execution", "execution omission", "execution difference", "wild write"}
LITERAL = Deviations(False, False, False, False)


def step_of(place):
    """Of a place as JSON, "process.thread.step"."""
    return None if place is None or "step" not in place else int(place["step"].split(".")[-1])


def why(a, b, *flags):
    command = [TWINRUN, "why", "--json", "--enhance", "none", "--limit", "1000000", "--budget", "0",
               "--pair-loops=number", *flags, a, b]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode not in (0, 1):
        raise Failure(f"{' '.join(command)}: exit status {done.returncode}: {done.stderr.decode(errors='replace')}")
    said = json.loads(done.stdout)
    return None if done.returncode == 0 else said["graph"]


def told_nodes(graph):
    """By id: (kind or divergence type, steps of a, steps of b), and the facts that are compared."""
    names = {}
    for node in graph["nodes"]:
        steps = {"a": {step_of(node["a"])}, "b": {step_of(node["b"])}}
        for more in node.get("more", ()):
            steps[more["run"]].add(step_of(more))
        kind = node["divergence"] if node["kind"] == "unaligned" else node["kind"]
        facts = {f for f in ("target", "decides", "no_cause") if node.get(f)}
        if node["kind"] != "aligned":
            facts.discard("no_cause")
        names[node["id"]] = ((kind, frozenset(steps["a"] - {None}), frozenset(steps["b"] - {None})), frozenset(facts))
    return names


def bytes_of(edge):
    """The bytes of memory that an edge names."""
    place = edge.get("place", "")
    if not place.startswith("0x"):
        return set()
    where, size = place.split(":")
    return {("memory", int(where, 16) + i) for i in range(int(size))}


def told(graph):
    """Nodes with facts, edges with bytes."""
    names = told_nodes(graph)
    edges = {}
    for edge in graph["edges"]:
        key = (names[edge["from"]][0], names[edge["to"]][0], edge["kind"])
        edges.setdefault(key, set()).update(bytes_of(edge))
    if graph["cut"]:
        raise Failure("the graph was cut")
    return dict(names.values()), edges


def expected(graph):
    def name(node):
        if node[0] in ("aligned", "input"):
            return (node[0], frozenset({node[1]} - {None}), frozenset({node[2]} - {None}))
        return (node[0], frozenset(graph.nodes[node]["a"]), frozenset(graph.nodes[node]["b"]))
    has_edge = {start for start, _, _ in graph.edges}
    nodes = {}
    for node, facts in graph.nodes.items():
        own = {f for f in ("target", "decides") if facts.get(f)}
        if node[0] == "aligned" and node not in has_edge:
            own.add("no_cause")
        nodes[name(node)] = frozenset(own)
    edges = {}
    for (start, end, kind), covered in graph.edges.items():
        edges.setdefault((name(start), name(end), kind), set()).update(b for b in covered if b[0] == "memory")
    return nodes, edges


def show(node):
    kind, a, b = node
    return f"{kind} a {sorted(a)} b {sorted(b)}"


def compare(said, graph):
    """Raises Failure where they differ."""
    nodes, edges = told(said)
    own_nodes, own_edges = expected(graph)
    problems = [f"node only in {by}: {show(n)}" for by, one, two in (("why", nodes, own_nodes), ("figure 6", own_nodes, nodes))
                for n in one if n not in two]
    problems += [f"{show(n)}: {sorted(nodes[n])} instead of {sorted(own_nodes[n])}" for n in nodes
                 if n in own_nodes and nodes[n] != own_nodes[n]]
    for by, one, two in (("why", edges, own_edges), ("figure 6", own_edges, edges)):
        problems += [f"edge only in {by}: {show(e[0])} -> {show(e[1])} ({e[2]})" for e in one if e not in two]
    # Of edges that begin at the same byte, `why` keeps the first, which may be the shorter one.
    problems += [f"{show(e[0])} -> {show(e[1])}: bytes {sorted(edges[e] - own_edges[e])} by why only"
                 for e in edges if e in own_edges and not edges[e] <= own_edges[e]]
    if problems:
        raise Failure("\n  ".join([f"{len(problems)} differences", *problems[:8]]))


def compare_literal(graph, literal):
    """What the figure leads to without the deviations contains all instructions that both runs executed."""
    missing = [n for n in graph.nodes if n[0] == "aligned" and n not in literal.nodes]
    if missing:
        raise Failure(f"the figure to the letter has no {missing[:4]}")


def check_divergence_points(both, graph):
    """The dominant divergence point is a transfer of control that leads to different targets."""
    for node, facts in graph.nodes.items():
        if facts.get("decides"):
            after = [recording.trace[step + 1].address if step + 1 < len(recording.trace) else None
                     for recording, step in ((both.a, node[1]), (both.b, node[2]))]
            if after[0] == after[1]:
                raise Failure(f"{node} is no divergence point: both runs go on at {after[0]:#x}")


class Case:
    def __init__(self, seed):
        rng = random.Random(seed)
        self.program = Program(rng, has_rooms=seed % 4 == 3)
        self.compiler = rng.choice(COMPILERS)
        self.flags = [rng.choice(["-O0", "-O0", "-O1", "-O2"])]
        self.a = bytes(rng.randrange(256) for _ in range(self.program.size))
        self.b = self.a
        self.rng = rng
        self.shifts = seed % 2 == 0  # the second run's stack
        self.seed = seed
        self.compared = []

    def build(self, tmp):
        with open(tmp + "/t.c", "w", encoding="ascii") as f:
            f.write(self.program.print())
        done = subprocess.run([self.compiler, "-g", "-w", *self.flags, "-mgeneral-regs-only", "-static", "-nostdlib",
                               "-ffreestanding", "-fno-stack-protector", "-fcf-protection=none", "-fwrapv", "-I",
                               HERE + "/../align/programs", "-o", tmp + "/t", tmp + "/t.c"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return done.stdout.decode(errors="replace") if done.returncode else ""

    def vary(self, tmp):
        """Makes the second input: one that lets the program compute something else."""
        for _ in range(30):
            changed = bytearray(self.a)
            for _ in range(self.rng.choice([1, 2, 4, 6])):
                changed[self.rng.randrange(len(changed))] = self.rng.randrange(256)
            self.b = bytes(changed)
            if len({subprocess.run([tmp + "/t"], input=i, check=False).returncode for i in (self.a, self.b)}) == 2:
                break

    def check(self, tmp):
        record(tmp + "/a.twin", [tmp + "/t"], stdin=self.a, env={})
        record(tmp + "/b.twin", [tmp + "/t"], stdin=self.b, env={"MORE": "x" * 200} if self.shifts else {})
        both = naive.Naive(tmp + "/a.twin", tmp + "/b.twin")
        runs = Run(tmp + "/a.twin"), Run(tmp + "/b.twin")
        if [len(r.steps) for r in runs] != [len(both.a.trace), len(both.b.trace)]:
            raise Failure(f"{[len(r.steps) for r in runs]} steps")
        self.compared = []
        for flags, normalizes in (([], True), (["--no-normalization"], False)):
            for target in self.targets(both, runs, normalizes):
                self.compare(tmp, both, runs, flags, normalizes, target)
        return len(runs[0].steps), len(runs[1].steps)

    def targets(self, both, runs, normalizes):
        """None for the exit status, else a step of the second run."""
        rng = random.Random(self.seed)
        common = [b for _, b in both.pairs if Graph(*runs, both.pairs, normalizes).target_step(b)] if ALL else []
        if not common:
            some = rng.sample(both.pairs, min(60, len(both.pairs)))
            common = [b for _, b in some if Graph(*runs, both.pairs, normalizes).target_step(b)]
        to_a = {b for _, b in both.pairs}
        alone = [b for b in range(len(runs[1].steps)) if b not in to_a]
        return [None, *rng.sample(common, min(3, len(common))), *rng.sample(alone, min(1, len(alone)))]

    def compare(self, tmp, both, runs, flags, normalizes, target):
        words = ["--exit"] if target is None else ["--at", str(target)]
        said = why(tmp + "/a.twin", tmp + "/b.twin", *words, *flags)
        graph = Graph(*runs, both.pairs, normalizes)
        literal = Graph(*runs, both.pairs, normalizes, LITERAL)
        node = graph.target_exit() if target is None else graph.target_step(target)
        try:
            if said is None:
                if node is not None and target is not None:
                    raise Failure("why says that nothing differs")
                return
            # With every address of a moved stack in it, a graph can come to its limits.
            if said["cut"] and not normalizes:
                return
            graph.run()
            compare(said, graph)
            if target is not None:
                literal.target_step(target)
            else:
                literal.target_exit()
            compare_literal(graph, literal.run())
            check_divergence_points(both, graph)
        except Failure as failure:
            raise Failure(f"why {' '.join(words + flags)}: {failure}") from failure
        self.compared.append(graph)

    def facts(self):
        kinds = {}
        for graph in self.compared:
            for node in graph.nodes:
                kinds[node[0]] = kinds.get(node[0], 0) + 1
        return f"{len(self.compared)} graphs: " + ", ".join(f"{n} {k}" for k, n in sorted(kinds.items())), kinds


def fails(case, tmp):
    if case.build(tmp):
        return False
    try:
        case.check(tmp)
    except Failure:
        return True
    return False


def shrink(case, tmp):
    """Leaves out statements while it still fails."""
    number = 0
    for _ in range(120):
        smaller = case.program.shrunk(number)
        if smaller is None:
            break
        was, case.program = case.program, smaller
        if not fails(case, tmp):
            case.program = was
            number += 1


def main():
    first = int(os.environ.get("TWINRUN_TEST_SEED", 1))
    seeds = [int(w) for w in sys.argv[1:]] or range(first, first + COUNT)
    failed = 0
    seen = {}
    with tempfile.TemporaryDirectory(prefix="twinrun-slice-") as tmp:
        for seed in seeds:
            case = Case(seed)
            said = f"seed {seed}, {case.compiler} {' '.join(case.flags)}{', shifted' if case.shifts else ''}"
            if problem := case.build(tmp):
                sys.exit(f"FAIL {said}: {problem}")
            case.vary(tmp)
            try:
                a, b = case.check(tmp)
                text, kinds = case.facts()
                for kind, count in kinds.items():
                    seen[kind] = seen.get(kind, 0) + count
                print(f"ok   {said}: {a} and {b} instructions, {text}", flush=True)
            except Failure as failure:
                failed += 1
                print(f"FAIL {said}: {failure}", flush=True)
                if KEEP:
                    shutil.copytree(tmp, f"{KEEP}/{seed}", dirs_exist_ok=True)
                shrink(case, tmp)
                case.build(tmp)
                try:
                    case.check(tmp)
                except Failure as smaller:
                    print(f"smaller: {smaller}\ninput {case.a.hex()}\nor    {case.b.hex()}\n{case.program.print()}",
                          flush=True)
                    if KEEP:
                        shutil.copytree(tmp, f"{KEEP}/{seed}.smaller", dirs_exist_ok=True)
    # A sample that never comes to a row of table I would not notice that it is wrong.
    if not sys.argv[1:] and COUNT >= 40 and not failed and (lacks := ROWS - seen.keys()):
        sys.exit(f"FAIL no program has {', '.join(sorted(lacks))}")
    print("in all: " + ", ".join(f"{n} {k}" for k, n in sorted(seen.items())))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

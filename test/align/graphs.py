# SPDX-License-Identifier: MIT
"""Control flow graphs of both runs in one, from `twinrun cfg --json`, and their post-dominators.

Written to be obviously right, not fast: post-dominators are sets, computed until nothing changes.
"""
import bisect
import json
import os
import subprocess

from recording import TWINRUN, Failure

EXIT = None
SMALL = 200000  # bytes: questions about such a file are answered at once


class Block:
    """A basic block; `successors` are starts of blocks, or EXIT."""

    def __init__(self, start, end):
        self.start = start
        self.end = end
        self.successors = set()
        self.endless = False  # stands for a loop that nothing leaves
        self.returns = False  # the function can be left here, and the program goes on
        self.until = EXIT     # the immediate post-dominator

    @property
    def is_predicate(self):
        return len(self.successors) > 1


def unite(graphs, observed=()):
    """The blocks of one function, by start, from its descriptions in several recordings, which can know
    of different targets of indirect jumps. Exceptions are no edges. `observed`: pairs (end of the jump,
    target) of more jumps inside the function."""
    starts = sorted({b["start"] for g in graphs for b in g["blocks"]} | {to for _, to in observed})
    blocks = {}
    leaving = {}
    for graph in graphs:
        for row in graph["blocks"]:
            inside = starts[bisect.bisect_left(starts, row["start"]):bisect.bisect_left(starts, row["end"])]
            for start, end in zip(inside, inside[1:] + [row["end"]]):
                block = blocks.setdefault(start, Block(start, end))
                if end != row["end"]:
                    block.successors.add(end)
            for edge in row["successors"]:
                if edge["kind"] != "exception" and edge["to"] is not None:
                    block.successors.add(edge["to"])
            block.returns |= (any(s["to"] is None for s in row["successors"]) and row["ends"] != "trap"
                              and "no return" not in row["notes"])
            # A jump with a target that one run knows does not lead to nowhere.
            leaving.setdefault(block.start, []).append(any(s["to"] is None for s in row["successors"]))
    for end, to in observed:
        for block in blocks.values():
            if block.end == end and to in blocks:
                block.successors.add(to)
                leaving[block.start] = [False]
    for start, leaves in leaving.items():
        if all(leaves):
            blocks[start].successors.add(EXIT)
    for block in blocks.values():
        if not block.successors:
            block.successors.add(EXIT)
    return blocks


def leave_out_unused_ends(blocks, executed):
    """What neither run executed, and from where no path returns, takes no part. `executed`: addresses."""
    returning = {start for start, block in blocks.items() if block.returns and EXIT in block.successors}
    changed = True
    while changed:
        changed = False
        for start, block in blocks.items():
            if start not in returning and block.successors & returning:
                returning.add(start)
                changed = True
    ordered = sorted(executed)
    unused = set()
    for start, block in blocks.items():
        i = bisect.bisect_left(ordered, start)
        is_executed = i < len(ordered) and ordered[i] < block.end
        if start not in returning and not is_executed:
            unused.add(start)
    for block in blocks.values():
        block.successors -= unused
        if not block.successors:
            block.successors.add(EXIT)


def reachable(blocks, start):
    """What paths with at least one edge lead to."""
    seen = set()
    todo = [start]
    while todo:
        for to in blocks[todo.pop()].successors:
            if to not in seen:
                seen.add(to)
                if to is not EXIT:
                    todo.append(to)
    return seen


def mark_endless(blocks, entry):
    """One block of each loop that nothing leaves gets an edge to the exit, so that all reach it."""
    reach = {start: reachable(blocks, start) for start in blocks}
    stuck = [start for start in blocks if EXIT not in reach[start]]
    if not stuck:
        return
    order = []
    seen = set()

    def walk(start):
        trail = [(start, iter(sorted(blocks[start].successors - {EXIT})))]
        seen.add(start)
        order.append(start)
        while trail:
            for to in trail[-1][1]:
                if to not in seen:
                    seen.add(to)
                    order.append(to)
                    trail.append((to, iter(sorted(blocks[to].successors - {EXIT}))))
                    break
            else:
                trail.pop()

    walk(entry)
    order += sorted(set(blocks) - seen)
    done = set()
    for start in order:
        closed = start in stuck and all(start in reach[other] for other in reach[start])
        if closed and start not in done:
            done |= reach[start]
            blocks[start].endless = True


def post_dominate(blocks, entry):
    mark_endless(blocks, entry)
    after = {start: b.successors | ({EXIT} if b.endless else set()) for start, b in blocks.items()}
    everything = set(blocks) | {EXIT}
    sets = {start: set(everything) for start in blocks}
    sets[EXIT] = {EXIT}
    changed = True
    order = sorted(blocks, reverse=True)
    while changed:
        changed = False
        for start in order:
            new = set.intersection(*(sets[to] for to in after[start])) | {start}
            if new != sets[start]:
                sets[start] = new
                changed = True
    for start, block in blocks.items():
        # Those that post-dominate a block form a chain, so the nearest has the most itself.
        block.until = max(sets[start] - {start}, key=lambda other: len(sets[other]))
    return sets


def ask(where, address):
    """What `cfg` says about the function that holds the address; None: there is none."""
    done = subprocess.run([TWINRUN, "cfg", "--json", "--in", where, hex(address)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode == 0:
        return json.loads(done.stdout)
    if b"P011" in done.stderr:
        return None
    raise Failure(f"cfg of {address:#x} in {where}: {done.stderr.decode(errors='replace')}")


asked = {}


def ask_once(path, address):
    known = asked.setdefault((path, os.path.getmtime(path)), {})
    for graph in known.values():
        if graph and any(p["address"] <= address < p["address"] + p["size"] for p in graph["parts"]):
            return graph
    if address not in known:
        known[address] = ask(path, address)
    return known[address]


class Function:
    """A function with its cold parts; addresses as in the file."""

    def __init__(self, path, graphs, observed, executed):
        self.path = path
        self.entry = graphs[0]["entry"]
        self.name = graphs[0]["function"]
        self.parts = [(p["address"], p["address"] + max(1, p["size"])) for p in graphs[0]["parts"]]
        self.blocks = unite(graphs, observed)
        leave_out_unused_ends(self.blocks, executed)
        self.starts = sorted(self.blocks)
        self.sets = post_dominate(self.blocks, self.entry) if self.entry in self.blocks else {}

    def block_at(self, address):
        i = bisect.bisect_right(self.starts, address) - 1
        if i >= 0 and address < self.blocks[self.starts[i]].end:
            return self.blocks[self.starts[i]]
        return None

    def meeting(self, a, b):
        """The nearest block that both will come to; EXIT: none."""
        if a not in self.sets or b not in self.sets:
            return EXIT
        return max(self.sets[a] & self.sets[b], key=lambda other: len(self.sets[other]))


class Code:
    """The functions of the modules that two runs of one program executed."""

    def __init__(self, recordings):
        self.recordings = recordings
        self.program = next(iter(recordings[0].modules))  # is mapped first
        self.functions = {}  # by path: sorted list of (start, end, function)
        self.jumps = None
        self.places = None
        self.differs = False  # one recording alone knows less of a function

    def function_at(self, path, address):
        """The function that holds the address, or None: code that `cfg` does not know."""
        known = self.functions.setdefault(path, [])
        i = bisect.bisect_right(known, address, key=lambda part: part[0]) - 1
        if i >= 0 and address < known[i][1]:
            return known[i][2]
        function = self.load(path, address)
        parts = function.parts if function else [(address, address + 1)]
        for start, end in parts:
            bisect.insort(known, (start, end, function), key=lambda part: part[0])
        return function

    def load(self, path, address):
        if path == self.program and os.path.getsize(path) < SMALL:
            graphs = [g for g in (ask(r.path, address) for r in self.recordings) if g]
            edges = {tuple((b["start"], s["to"], s["kind"]) for b in g["blocks"] for s in b["successors"]) for g in graphs}
            self.differs |= len(edges) > 1
            return Function(path, graphs, (), self.executed(path)) if graphs else None
        # Each question takes long, and of libraries the recordings show functions by name only.
        graph = ask_once(path, address)
        if not graph:
            return None
        parts = [(p["address"], p["address"] + p["size"]) for p in graph["parts"]]
        return Function(path, [graph], [(end, to) for end, to in self.observed(path)
                                        if any(a < end <= b for a, b in parts)
                                        and any(a <= to < b for a, b in parts)], self.executed(path))

    def executed(self, path):
        """Addresses of the instructions of a module that either run executed."""
        if self.places is None:
            self.places = {}
            for recording in self.recordings:
                for at in set(recording.trace):
                    if module := recording.modules.get(at.module):
                        self.places.setdefault(at.module, set()).add(at.address - module.bias)
        return self.places.get(path, ())

    def observed(self, path):
        """Indirect jumps that either run executed, in any module."""
        if self.jumps is None:
            self.jumps = {}
            for recording in self.recordings:
                for i, at in enumerate(recording.trace[:-1]):
                    if at.flow == "jmp" and not at.text.split()[-1].startswith("0x"):
                        module = recording.modules.get(at.module)
                        if module:
                            end = at.address + at.size - module.bias
                            to = recording.trace[i + 1].address - module.bias
                            self.jumps.setdefault(at.module, set()).add((end, to))
        return sorted(self.jumps.get(path, ()))

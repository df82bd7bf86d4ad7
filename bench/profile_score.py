# SPDX-License-Identifier: MIT
"""How near a profile is to the true one of the same binary; both are BOLT's YAML.

blk    what two distributions of block counts share: the sum over all blocks of the lesser of the two
       normalised counts; 1 is the same, 0 nothing in common
edge   the same for edges
br     branches with two ways predicted to go the way that the profile says is more frequent, and to fall
       through where it says nothing: executions predicted right, divided by those that the true profile
       predicts right
cov    of the blocks of functions that either profile has, the part whose state, executed or not, agrees
"""
import re

FUNCTION = re.compile(r"  - name:\s+(.*)$")
FIELD = re.compile(r"    (\w+):\s+(.*)$")
BLOCK = re.compile(r"      - bid:\s+(\d+)")
SUCCESSORS = re.compile(r"        succ:\s+(.*)$")
SUCCESSOR = re.compile(r"\{ bid: (\d+), cnt: (\d+)(?:, mis: \d+)? \}")
METRICS = ("blk", "edge", "br", "cov")


class Function:
    def __init__(self):
        self.entered = 0
        self.size = 0
        self.edges = {}
        self.blocks = {}

    def count_blocks(self):
        """A block's count is the larger of what comes in and what goes out: ends have no successors."""
        arriving, leaving = {0: self.entered}, {}
        for (a, b), n in self.edges.items():
            arriving[b] = arriving.get(b, 0) + n
            leaving[a] = leaving.get(a, 0) + n
        self.blocks = {b: max(arriving.get(b, 0), leaving.get(b, 0)) for b in sorted(arriving.keys() | leaving.keys())}


def read_profile(path):
    """Functions of the YAML profile by name."""
    functions, current, block = {}, None, None
    with open(path, encoding="utf-8") as f:
        for line in f:
            line = line.rstrip("\n")
            if m := FUNCTION.match(line):
                # The number of aliases in a name is not part of it.
                name = re.sub(r"\(\*\d+\)$", "", m[1].strip("'\" "))
                copies = 1
                while (unique := name if copies == 1 else f"{name}#{copies}") in functions:
                    copies += 1
                current = functions[unique] = Function()
            elif current is None:
                continue
            elif m := FIELD.match(line):
                if m[1] == "exec":
                    current.entered = int(m[2])
                elif m[1] == "nblocks":
                    current.size = int(m[2])
            elif m := BLOCK.match(line):
                block = int(m[1])
            elif m := SUCCESSORS.match(line):
                for target, count in SUCCESSOR.findall(m[1]):
                    edge = (block, int(target))
                    current.edges[edge] = current.edges.get(edge, 0) + int(count)
    for function in functions.values():
        function.count_blocks()
    return functions


def overlap(a, b):
    sum_a, sum_b = sum(a.values()), sum(b.values())
    if sum_a == 0 or sum_b == 0:
        return 0.0
    return sum(min(n / sum_a, b.get(key, 0) / sum_b) for key, n in a.items())


def flat(functions, part):
    return {(name, key): n for name, f in functions.items() for key, n in getattr(f, part).items()}


def branch_ratio(true, other):
    best = hits = 0
    for name, function in true.items():
        ways = {}
        for (block, target), n in function.edges.items():
            ways.setdefault(block, []).append((target, n))
        guess = other[name].edges if name in other else {}
        for block, pair in ways.items():
            if len(pair) != 2:
                continue
            (t0, n0), (t1, n1) = pair
            g0, g1 = guess.get((block, t0), 0), guess.get((block, t1), 0)
            takes_first = t0 == block + 1 if g0 == g1 else g0 > g1
            hits += n0 if takes_first else n1
            best += max(n0, n1)
    return hits / best if best else 0.0


def score(true_path, other_path):
    true, other = read_profile(true_path), read_profile(other_path)
    blocks, guesses = flat(true, "blocks"), flat(other, "blocks")
    executed = {key for key, n in blocks.items() if n}
    guessed = {key for key, n in guesses.items() if n}
    total = sum(f.size for f in true.values()) + sum(f.size for name, f in other.items() if name not in true)
    return {"blk": overlap(blocks, guesses), "edge": overlap(flat(true, "edges"), flat(other, "edges")),
            "br": branch_ratio(true, other), "cov": 1 - len(executed ^ guessed) / total if total else 0.0,
            "functions": len({name for name, _ in guessed}), "true functions": len({name for name, _ in executed})}


def function_overlap(old_path, new_path):
    """What the exact profiles of two builds have in common when whole functions are compared by name: how
    alike the runs are, whatever a matcher does with the blocks."""
    weights = []
    for path in (old_path, new_path):
        sums = {}
        for name, function in read_profile(path).items():
            plain = re.sub(r"/\d+$", "", name)
            sums[plain] = sums.get(plain, 0) + sum(function.blocks.values())
        weights.append(sums)
    return overlap(*weights)

# SPDX-License-Identifier: MIT
"""Slice-Align by its pseudo-code: figure 6 and table I of "Differential slicing".

The functions have the names that the figure uses. Everything comes from the two runs (executed.py) and from the
pairs of steps that are aligned (test/align/naive.py); nothing from `why`. Where `why` does something else than the
figure on purpose, that is an option of Deviations with its reason; with none of them, the figure is followed to the
letter, as far as one can: instructions whose blocks are not the same have no operands that could be compared one by
one.
"""
import bisect
import dataclasses

from executed import ALL_BYTES, FLAG_HELPERS, Written, byte_range, bytes_in, flag_operands, operand_bytes

LOWEST_POINTER = 0x10000
STACK = 8 << 20
RED_ZONE = 128


@dataclasses.dataclass
class Deviations:
    # An instruction is asked for the bytes that differ further on, not for all that it does: an instruction that
    # writes a register and the flags is no reason to follow what only the flags come from (decision 31).
    only_wanted_bytes: bool = True
    # Of the thunk that flags are computed from, only the part that its operation uses is an operand: the others hold
    # what earlier operations left there.
    exact_flags: bool = True
    # Where an address differs, what is read from there is followed only when its writers tell more than that: the same
    # instruction wrote it in both runs, or one of them has no counterpart. Writers that are both aligned, but not with
    # each other, are what table I calls a wild read, and the address explains that.
    no_wild_read_nodes: bool = True
    # Of a wild write the operands of the address are followed, as they are what was wrong, in both runs' writers:
    # either of them can be the one that wrote elsewhere.
    wild_write_addresses: bool = True


def stack_place(pointer, sp, areas):
    """(the step that made the array which holds the pointer, offset in it), or (None, distance from the stack pointer
    without the arrays in between)."""
    for begin, end, step in areas:
        if begin <= pointer < end:
            return step, pointer - begin
    return None, pointer - sp - sum(end - begin for begin, end, _ in areas if sp <= begin and end <= pointer)


class Operand:
    """Bytes that both runs use: where they come from, (writer of a, writer of b) for each byte that is followed."""

    def __init__(self, place, where_a, where_b, pairs, for_address):
        self.place = place
        self.where_a = where_a
        self.where_b = where_b
        self.pairs = pairs  # by number of the byte
        self.for_address = for_address


class End:
    """One run's writer of some bytes."""

    def __init__(self, graph, side, written, mask=None, memory=None):
        run = graph.runs[side]
        self.side = side
        self.memory = memory      # bytes of memory: (address, how many)
        self.mask = mask          # bytes of the statement's result
        self.execution = written.execution
        self.statement = written.statement
        self.outside = written.outside
        self.step = None
        if self.execution:
            self.step = run.step_of(self.execution, self.statement)
        elif self.outside and self.outside["step"]:
            self.step = self.outside["step"] - 1  # the instruction that made the call
        self.region = None
        self.aligned = False
        if self.step is not None:
            self.region, self.aligned = graph.where(side, self.step)

    @property
    def is_off(self):
        return self.step is not None and not self.aligned

    @property
    def is_input(self):
        return self.outside is not None and self.outside["source"] in ("call", "startup")


class Graph:
    """The Basic graph. Nodes are tuples: ("aligned", a, b), (type, region...), ("input", a, b)."""

    def __init__(self, a, b, pairs, normalizes=True, deviations=None):
        self.runs = (a, b)
        self.deviations = deviations or Deviations()
        self.normalizes = normalizes
        self.to_b = dict(pairs)
        self.to_a = {b: a for a, b in pairs}
        self.regions(pairs)
        self.nodes = {}    # node: facts
        self.edges = {}    # (from, to, kind): bytes of b
        self.wanted = {}   # aligned node: {statement: bytes of its result}
        self.worklist = []

    # ---- the alignment ----

    def regions(self, pairs):
        """Disaligned regions: (from, to) of both runs. Between two pairs that follow each other there is none."""
        ends = [(-1, -1), *pairs, (len(self.runs[0].steps), len(self.runs[1].steps))]
        self.apart = [(a1 + 1, a2, b1 + 1, b2) for (a1, b1), (a2, b2) in zip(ends, ends[1:])
                      if (a2, b2) != (a1 + 1, b1 + 1)]
        self.region_ends = ([r[1] for r in self.apart], [r[3] for r in self.apart])

    def where(self, side, step):
        """(the disaligned region, False), or (None, True)."""
        if step in (self.to_b, self.to_a)[side]:
            return None, True
        return self.apart[bisect.bisect_right(self.region_ends[side], step)], False

    def is_aligned(self, a, b):
        return a is not None and b is not None and self.to_b.get(a) == b

    def pointer_same(self, words, executions, instruction):
        """Address normalization without a heap. A block computes the address of an array before it makes room for it:
        what means the same when the blocks have ended is the same, too."""
        if min(words) < LOWEST_POINTER:
            return words[0] == words[1]
        here = self.stack_same(words, [e.step + n for e, n in zip(executions, instruction)])
        if here:
            return True
        behind = [e.step + e.count for e in executions]
        if all(step < len(run.sps) for run, step in zip(self.runs, behind)) and self.stack_same(words, behind):
            return True
        return here is None and words[0] == words[1]

    def stack_same(self, words, steps):
        """None: they do not both point to a stack."""
        sps = [run.sps[step] for run, step in zip(self.runs, steps)]
        if not all(sp - RED_ZONE <= pointer < sp + STACK for pointer, sp in zip(words, sps)):
            return None
        (made_a, a), (made_b, b) = (stack_place(word, sp, run.areas[step])
                                    for word, sp, run, step in zip(words, sps, self.runs, steps))
        if (made_a is None) != (made_b is None) or a != b:
            return False
        return made_a is None or self.is_aligned(made_a, made_b)

    def dom_div_pt(self, region):
        """The last instructions that correspond before a disaligned region; None: there are none."""
        return None if region[0] == 0 or region[2] == 0 else (region[0] - 1, region[2] - 1)

    # ---- values ----

    def different(self, a, bytes_a, b, bytes_b, mask, instruction, corresponds=True):
        """Bytes of a value that differ, pointers by what they mean. Of values that are not known all do."""
        size = min(len(bytes_a), 32)
        mask &= byte_range(0, size)
        if not a.known or not b.known:
            return mask
        out = sum(1 << i for i in range(size) if bytes_a[i] != bytes_b[i]) & mask
        for i in range(0, size - 7, 8):
            word = byte_range(i, 8)
            # Equal numbers are asked about, too, unless only a part of them is wanted, or the moments do not
            # correspond.
            if self.normalizes and (out & word or (corresponds and mask & word == word)):
                words = [int.from_bytes(v[i:i + 8], "little") for v in (bytes_a, bytes_b)]
                if self.pointer_same(words, (a, b), instruction):
                    out &= ~word
                elif words[0] == words[1]:
                    out |= word
        return out

    def flag_operand_matters(self, a, statement, operand):
        """VEX hands the whole thunk to its helpers."""
        if statement["op"] not in FLAG_HELPERS or not self.deviations.exact_flags:
            return True
        first = FLAG_HELPERS[statement["op"]]
        if operand <= first:
            return True
        kind, number = statement["operands"][first]
        if kind == "t":
            definition = a.block.definition_of[number]
            if a.block.statements[definition]["tag"] != "get":
                return True
            written = self.runs[0].writer("register", a.block.statements[definition]["offset"], a, definition)
            if not written.execution:
                return True
            put = written.execution.block.statements[written.statement]
            if put["tag"] != "put" or put["operands"][0][0] != "c":
                return True  # what set the flags was decided when it ran
            number = put["operands"][0][1]
        return operand - first > 3 or bool(flag_operands(number)[operand - first - 1])

    def val_differences(self, a, b, wanted):
        """The operands of the statements, or of those that they are computed from inside of the instruction, that
        differ. Backward, so that all that want something of a statement have said so when it is its turn."""
        block = a.block
        wanted = dict(wanted)
        for_address = {}
        out = []
        while wanted:
            now = max(wanted)
            mask = wanted.pop(now)
            statement = block.statements[now]
            mine = for_address.get(now, False)
            instruction = block.instruction_of[now]
            places = (min(instruction, a.count - 1), min(instruction, b.count - 1))
            address_differs = False
            for i, (kind, temp) in enumerate(statement["operands"]):
                if kind != "t" or not self.flag_operand_matters(a, statement, i):
                    continue
                definition = block.definition_of[temp]
                if not a.ran(definition) or not b.ran(definition):
                    continue
                values = [(e.temps[temp] if e.known else bytes(block.types[temp])) for e in (a, b)]
                differs = self.different(a, values[0], b, values[1], operand_bytes(statement, i, mask), places)
                if not differs:
                    continue
                is_address = i == 0 and statement["tag"] in ("load", "loadg", "store", "storeg", "cas", "geti", "puti")
                address_differs |= is_address
                its = mine or is_address
                is_get = block.statements[definition]["tag"] == "get"
                if is_get or block.instruction_of[definition] == instruction:
                    for_address[definition] = for_address.get(definition, True) and its
                    wanted[definition] = wanted.get(definition, 0) | differs
                else:
                    # From another instruction of the block, without a register in between.
                    pair = [End(self, side, self.value_of(e, definition), differs) for side, e in enumerate((a, b))]
                    out.append((*pair, its, None))
            if statement["tag"] == "get":
                size = block.types[statement["dst"]]
                values = [e.temps[statement["dst"]] for e in (a, b)] if a.known and b.known else None
                out += self.imm_data_deps("register", (a, b), now, (statement["offset"],) * 2, size, mask, values, mine)
            for access in block.loads_of(now):
                op, _, size, _ = block.accesses[access]
                if op >= min(a.ops, b.ops) or not a.known or not b.known or None in (
                        a.addresses[access], b.addresses[access]):
                    continue
                values = [e.values[access] for e in (a, b)]
                asked = mask if statement["tag"] == "load" else ALL_BYTES
                differs = self.different(a, values[0], b, values[1], asked, places)
                found = self.imm_data_deps("memory", (a, b), now, (a.addresses[access], b.addresses[access]), size,
                                           differs, values, mine)
                if address_differs and self.deviations.no_wild_read_nodes:
                    found = [one for one in found if self.tells_more(one[0], one[1])]
                out += found
        return out

    def tells_more(self, a, b):
        """Of the writers of bytes that are not at the same place."""
        if a.execution and b.execution and self.is_aligned(a.step, b.step):
            return True
        return bool(a.execution or b.execution) and (a.is_off or b.is_off)

    @staticmethod
    def value_of(execution, statement):
        return Written(execution, statement)

    def imm_data_deps(self, place, executions, statement, where, size, mask, values, for_address):
        """Who wrote these bytes. Bytes that have the same writers in both runs belong together, as long as they
        follow each other; when they are the same, there is nothing to follow."""
        groups = []
        for i in bytes_in(mask, size):
            written = [self.runs[side].writer(place, where[side] + i, executions[side], statement) for side in (0, 1)]
            key = (written[0].key(), written[1].key())
            if groups and groups[-1][0] == key and groups[-1][1][-1] == i - 1:
                groups[-1][1].append(i)
                groups[-1][2].append(written)
            else:
                groups.append((key, [i], [written]))
        out = []
        for _, numbers, written in groups:
            if values and all(values[0][i] == values[1][i] for i in numbers):
                continue
            ends = [End(self, side, written[0][side], sum(1 << w[side].skip for w in written),
                        (where[side] + numbers[0], len(numbers)) if place == "memory" else None) for side in (0, 1)]
            out.append((*ends, for_address, (place, where[1] + numbers[0], len(numbers))))
        return out

    def by_encoding(self, a, instruction_a, b, instruction_b):
        """Instructions in different blocks, which have no statements that could be compared: the registers that
        differ, or, when all are the same, what is read from memory."""
        out = []
        for (offset, size, value_a), (_, _, value_b) in zip(a.uses[instruction_a], b.uses[instruction_b]):
            if value_a is None or value_b is None:
                continue
            if not self.different(a, value_a, b, value_b, ALL_BYTES, (instruction_a, instruction_b), False):
                continue
            out += self.encoded_deps("register", ((a, instruction_a), (b, instruction_b)), (offset, offset), size,
                                     (value_a, value_b))
        if out:
            return out
        loads = [[i for i, access in enumerate(e.block.accesses) if access[3] == n and access[1] == "load"]
                 for e, n in ((a, instruction_a), (b, instruction_b))]
        for i, j in zip(*loads):
            if a.addresses[i] is None or b.addresses[j] is None:
                continue
            out += self.encoded_deps("memory", ((a, instruction_a), (b, instruction_b)),
                                     (a.addresses[i], b.addresses[j]), a.block.accesses[i][2],
                                     (a.values[i], b.values[j]))
        return out

    def encoded_deps(self, place, at, where, size, values):
        executions = []
        for side, (execution, instruction) in enumerate(at):
            unseen = self.unseen_writer(execution, instruction, where[side]) if place == "register" else None
            executions.append((execution, execution.block.first_statement(instruction), unseen))
        groups = []
        for i in range(size):
            written = [self.value_of(e, e.block.first_statement(unseen)) if unseen is not None
                       else self.runs[side].writer(place, where[side] + i, e, statement)
                       for side, (e, statement, unseen) in enumerate(executions)]
            key = (written[0].key(), written[1].key())
            if groups and groups[-1][0] == key:
                groups[-1][1].append(i)
                groups[-1][2].append(written)
            else:
                groups.append((key, [i], [written]))
        out = []
        for _, numbers, written in groups:
            if all(values[0][i] == values[1][i] for i in numbers):
                continue
            ends = [End(self, side, written[0][side], ALL_BYTES if executions[side][2] is not None
                        else sum(1 << w[side].skip for w in written),
                        (where[side] + numbers[0], len(numbers)) if place == "memory" else None) for side in (0, 1)]
            out.append((*ends, False, (place, where[1] + numbers[0], len(numbers))))
        return out

    @staticmethod
    def unseen_writer(execution, instruction, offset):
        """VEX leaves out a write to a register that the block overwrites before it is needed: the instruction of
        the block that wrote it by its encoding, when that is later than all that the statements tell."""
        if not 16 <= offset < 16 + 16 * 8:
            return None
        block = execution.block
        for i in reversed(range(instruction)):
            if any(block.instruction_of[s] == i and w[1] // 8 == offset // 8
                   for s, w in zip(block.write_statement, block.writes)):
                return None
            if block.encoded[i] >> (offset - 16) // 8 & 1:
                return i
        return None

    # ---- the algorithm ----

    def add(self, node, **facts):
        self.nodes.setdefault(node, {"a": set(), "b": set()}).update(facts)
        return node

    def edge(self, start, end, kind, what=None):
        if start == end:
            return
        covered = self.edges.setdefault((start, end, kind), set())
        if what:
            place, where, size = what
            covered |= {(place, where + i) for i in range(size)}

    def push(self, a, b, statement=None, mask=0):
        """An aligned pair, and what is asked of it; None: what decided where it went."""
        node = self.add(("aligned", a, b))
        if self.deviations.only_wanted_bytes or statement is None:
            wants = {statement: mask}
        else:
            block, instruction = self.runs[0].steps[a]
            wants = {s: ALL_BYTES for s, i in enumerate(block.block.instruction_of) if i == instruction}
        have = self.wanted.setdefault(node, {})
        if any(mask & ~have.get(s, 0) for s, mask in wants.items()):
            for s, mask in wants.items():
                have[s] = have.get(s, 0) | mask
            self.worklist.append(node)
        return node

    def run(self):
        while self.worklist:
            node = self.worklist.pop()
            for a, b, for_address, what in self.explain(node):
                self.follow(node, a, b, what)
        return self

    def explain(self, node):
        (a, i), (b, j) = self.runs[0].steps[node[1]], self.runs[1].steps[node[2]]
        if not a.block.same_code(b.block) or i != j:
            return self.by_encoding(a, i, b, j)
        wanted = dict(self.wanted[node])
        if wanted.pop(None, 0):
            wanted.update(self.decisions(a, b))
        return self.val_differences(a, b, wanted)

    def decisions(self, a, b):
        """The conditions of exits that were come to, and where the block goes otherwise."""
        out = {n: ALL_BYTES for n, s in enumerate(a.block.statements)
               if s["tag"] == "exit" and s["start"] <= min(a.ops, b.ops)}
        kind, temp = a.block.next
        if kind == "t" and a.next != b.next:
            out[a.block.definition_of[temp]] = ALL_BYTES
        return out

    def follow(self, node, a, b, what):
        if to := self.join(a, b):
            self.edge(node, to, "data", what)

    def join(self, a, b):
        if a.execution and b.execution and self.is_aligned(a.step, b.step):
            return self.push(a.step, b.step, a.statement, (a.mask or 0) | (b.mask or 0))
        if not a.execution and not b.execution and not a.is_off and not b.is_off:
            return self.input(a, b)
        dtype = self.div_region_type(a, b)
        node = self.unaligned(dtype, a, b)
        for end in (a, b):
            if end.is_off:
                self.to_divergence(node, end.region)
        if dtype == "wild write":
            self.wild_write(node, a)
            self.wild_write(node, b)
        if a.is_input or b.is_input:
            self.edge(node, self.input(a, b), "data")
        return node

    @staticmethod
    def div_region_type(a, b):
        """Table I; a is the passing run."""
        if a.is_off and b.is_off:
            return "execution difference"
        if a.is_off:
            return "execution omission"
        if b.is_off:
            return "extra execution"
        return "wild write"

    def unaligned(self, dtype, a, b):
        """Of a disaligned region there is one node; of what both runs executed, one for each pair."""
        regions = (a.region if a.is_off else None, b.region if b.is_off else None)
        places = (None, None) if any(regions) else (a.step, b.step)
        node = self.add((dtype, *regions, *places))
        for end in (a, b):
            if end.step is not None:
                self.nodes[node]["ab"[end.side]].add(end.step)
        return node

    def to_divergence(self, node, region):
        points = self.dom_div_pt(region)
        if points:
            decision = self.push(*points, None, 1)
            self.nodes[decision]["decides"] = True
            self.edge(node, decision, "control")

    def input(self, a, b):
        # When both came from outside, the step tells which call.
        steps = [end.step if end.outside else None for end in (a, b)]
        return self.add(("input", *steps))

    def wild_write(self, node, end):
        """One of the two wrote elsewhere in the other run: what its address was computed from."""
        if not end.execution or end.memory is None:
            return
        there = (self.to_b, self.to_a)[end.side].get(end.step)
        if there is None:
            return
        a, b = (end.step, there) if end.side == 0 else (there, end.step)
        (block_a, i), (block_b, j) = self.runs[0].steps[a], self.runs[1].steps[b]
        if not self.deviations.wild_write_addresses:
            self.edge(node, self.push(a, b, end.statement, ALL_BYTES), "data")
            return
        if not block_a.block.same_code(block_b.block) or i != j:
            # The encoding does not tell what the address was computed from.
            found = self.by_encoding(block_a, i, block_b, j)
        else:
            found = [f for f in self.val_differences(block_a, block_b, {end.statement: ALL_BYTES}) if f[2]]
        if found:
            writer = self.add(("aligned", a, b))
            self.wanted.setdefault(writer, {})
            self.edge(node, writer, "data", ("memory", *end.memory))
            for one, two, _, what in found:
                self.follow(writer, one, two, what)

    # ---- targets ----

    def target_step(self, b):
        """All that the instruction of the second run uses, or that it was executed. None: nothing differs."""
        a = self.to_a.get(b)
        if a is None:
            region, _ = self.where(1, b)
            node = self.add(("extra execution", None, region, None, b), target=True)
            self.nodes[node]["b"].add(b)
            self.to_divergence(node, region)
            return node
        (run_a, i), (run_b, j) = self.runs[0].steps[a], self.runs[1].steps[b]
        node = ("aligned", a, b)
        self.wanted[node] = {s: ALL_BYTES for s, n in enumerate(run_a.block.instruction_of) if n == i}
        if not self.explain(node):
            return None
        self.add(node, target=True)
        self.worklist.append(node)
        return node

    def target_exit(self):
        """The status that both runs hand to the kernel with their last instructions."""
        a, b = len(self.runs[0].steps) - 1, len(self.runs[1].steps) - 1
        if not self.is_aligned(a, b):
            return None
        rdi = 16 + 7 * 8
        node = self.add(("aligned", a, b), target=True)
        self.wanted.setdefault(node, {})
        executions = [run.steps[-1][0] for run in self.runs]
        ends = [len(e.block.statements) for e in executions]
        assert executions[0].block.same_code(executions[1].block)
        for one, two, _, what in self.imm_data_deps("register", executions, ends[0], (rdi, rdi), 1, 1, None, False):
            self.follow(node, one, two, what)
        return node

# SPDX-License-Identifier: MIT
"""One run, from what `statements` prints: every executed statement with its values, and who wrote each byte.

Written to be obviously right, not fast: every byte of memory and of the register file has the list of all
that was ever written to it.
"""
import bisect
import json
import os
import re
import subprocess

STATEMENTS = os.environ["TWINRUN_STATEMENTS"]
ALL_BYTES = (1 << 64) - 1


def byte_range(first, count):
    return ((1 << count) - 1) << first


def bytes_in(mask, size):
    """The numbers of the bytes of a mask."""
    return [i for i in range(min(size, 64)) if mask >> i & 1]


class Block:
    """The statements of a block."""

    def __init__(self, row):
        self.address = row["address"]
        self.lengths = row["lengths"]
        self.types = row["types"]
        self.ops = row["ops"]
        self.statements = row["statements"]
        self.accesses = row["accesses"]  # (op, kind, size, instruction)
        self.writes = row["writes"]      # (op, offset, size)
        self.encoded = row["encoded"]
        self.next = row["next"]
        self.instruction_of = []
        self.definition_of = {}
        instruction = -1
        for number, statement in enumerate(self.statements):
            instruction += statement["tag"] == "instruction"
            self.instruction_of.append(max(instruction, 0))
            if statement["dst"] is not None:
                self.definition_of[statement["dst"]] = number
        # Accesses and register writes belong to the statement among whose steps they are.
        starts = [s["start"] for s in self.statements] + [self.ops]
        self.access_statement = [bisect.bisect_right(starts, a[0]) - 1 for a in self.accesses]
        self.write_statement = [bisect.bisect_right(starts, w[0]) - 1 for w in self.writes]

    def same_code(self, other):
        return ((self.address, self.lengths, self.types) == (other.address, other.lengths, other.types)
                and [s["tag"] for s in self.statements] == [s["tag"] for s in other.statements])

    def loads_of(self, statement):
        return [i for i, s in enumerate(self.access_statement) if s == statement and self.accesses[i][1] == "load"]

    def first_statement(self, instruction):
        return self.instruction_of.index(instruction)


SP = 16 + 4 * 8


def resizing(block):
    """The instructions of a block that move the stack pointer by what only the run knows: what it becomes is a constant
    away from a temporary, which is not the stack pointer as it was. VEX can leave out what is overwritten soon, so
    that the instruction of that temporary is the one, if it writes the stack pointer."""
    def root(operand):
        kind, number = operand
        if kind != "t":
            return None
        at = block.definition_of[number]
        statement = block.statements[at]
        operands = statement["operands"]
        if statement["tag"] == "get" and statement["offset"] == SP:
            return None
        if statement["tag"] == "move":
            return root(operands[0])
        if statement["tag"] == "op" and statement["op"] in ("Add64", "Sub64"):
            if operands[1][0] == "c":
                return root(operands[0])
            if operands[0][0] == "c" and statement["op"] == "Add64":
                return root(operands[1])
        return at
    out = set()
    known = set()
    for number, statement in enumerate(block.statements):
        if statement["tag"] != "put" or statement["offset"] != SP:
            continue
        at = root(statement["operands"][0])
        if at is None or at in known:
            continue
        known.add(at)
        writes = block.encoded[block.instruction_of[at]] >> (SP - 16) // 8 & 1
        out.add(block.instruction_of[at if writes else number])
    return out


class Execution:
    """A block that was executed."""

    def __init__(self, number, block, row):
        self.number = number
        self.block = block
        self.step = row["step"]
        self.count = row["count"]
        self.ops = row["ops"]
        self.known = row["known"]
        if self.known:
            self.temps = [bytes.fromhex(t) for t in row["temps"]]
            self.addresses = row["addresses"]
            self.values = [bytes.fromhex(v) for v in row["values"]]
            self.next = row["next"]
            self.uses = [[(o, s, None if v is None else bytes.fromhex(v)) for o, s, v in places]
                         for places in row["uses"]]
            self.sp = row["sp"]
        else:
            self.addresses = [None] * len(block.accesses)
            self.next = 0

    def ran(self, statement):
        return self.block.statements[statement]["start"] < self.ops


class Written:
    """Who wrote a byte: a statement (`execution`, `statement`, `skip`: which byte of its result), something
    from outside (`outside`), or nobody."""
    __slots__ = ("execution", "statement", "access", "skip", "outside")

    def __init__(self, execution=None, statement=None, access=None, skip=0, outside=None):
        self.execution = execution
        self.statement = statement
        self.access = access
        self.skip = skip
        self.outside = outside

    def key(self):
        """Bytes of one write belong together."""
        return (self.execution.number if self.execution else None, self.statement, self.access,
                self.outside["number"] if self.outside else None)


NOBODY = Written()
FLAG_HELPERS = {"amd64g_calculate_condition": 1, "amd64g_calculate_rflags_all": 0, "amd64g_calculate_rflags_c": 0}
# By groups of four sizes, as VEX numbers them: which of DEP1, DEP2 and NDEP the flags are computed from.
FLAG_OPERANDS = {"copy": (1, 0, 0), "add": (1, 1, 0), "sub": (1, 1, 0), "adc": (1, 1, 1), "sbb": (1, 1, 1),
                 "logic": (1, 0, 0), "inc": (1, 0, 1), "dec": (1, 0, 1), "shl": (1, 1, 0), "shr": (1, 1, 0),
                 "rol": (1, 0, 1), "ror": (1, 0, 1), "umul": (1, 1, 0), "smul": (1, 1, 0)}


def flag_operands(number):
    """Of a CC_OP."""
    names = list(FLAG_OPERANDS)
    if number == 0:
        return FLAG_OPERANDS["copy"]
    group = (number - 1) // 4 + 1
    return FLAG_OPERANDS[names[group]] if group < len(names) else (1, 1, 1)


def shifted_bytes(name, size, by, mask):
    """The bytes that a shift by a constant brings to the wanted ones, bit by bit."""
    out = 0
    for bit in range(size * 8):
        if not mask >> bit // 8 & 1:
            continue
        source = bit - by if name == "Shl" else bit + by
        if name == "Sar":
            source = min(source, size * 8 - 1)
        if 0 <= source < size * 8:
            out |= 1 << source // 8
    return out


def operand_bytes(statement, operand, mask):
    """The bytes of an operand that can have a part in the wanted bytes of the result."""
    tag = statement["tag"]
    if tag in ("put", "move"):
        return mask
    if tag in ("store", "storeg"):
        return mask if operand == 1 else ALL_BYTES
    if tag == "ite":
        return ALL_BYTES if operand == 0 else mask
    if tag != "op":
        return ALL_BYTES
    return operation_bytes(statement["op"], statement["operands"], operand, mask)


def operation_bytes(op, operands, operand, mask):
    if match := re.fullmatch(r"(?:8|16|32|64|128)(HI)?to(8|16|32|64)", op):
        return mask << (int(match[2]) // 8 if match[1] else 0)
    if match := re.fullmatch(r"(8|16|32|64)HLto(?:16|32|64|128)", op):
        half = int(match[1]) // 8
        return mask >> (0 if operand else half) & byte_range(0, half)
    if match := re.fullmatch(r"(8|16|32|64)Uto(?:16|32|64)", op):
        return mask & byte_range(0, int(match[1]) // 8)
    if match := re.fullmatch(r"(8|16|32)Sto(?:16|32|64)", op):
        size = int(match[1]) // 8
        low = byte_range(0, size)
        return mask & low | (1 << size - 1 if mask & ~low else 0)
    if re.fullmatch(r"(And|Or|Xor|Not)(8|16|32|64)", op):
        return mask
    if re.fullmatch(r"(Add|Sub|Mul)(8|16|32|64)", op):
        return (1 << mask.bit_length()) - 1  # carries go up
    if match := re.fullmatch(r"(Shl|Shr|Sar)(8|16|32|64)", op):
        if operand == 0 and operands[1][0] == "c":
            return shifted_bytes(match[1], int(match[2]) // 8, operands[1][1], mask)
    return ALL_BYTES


class Run:
    """A run: its executions in order, the step of each instruction, and every write."""

    def __init__(self, path):
        self.executions = []
        self.steps = []  # (execution, instruction in the block)
        self.history = {"memory": {}, "register": {}}  # byte: ([times], [Written])
        self.ranges = []  # writes from outside that are too long to be taken byte by byte
        blocks = {}
        number = 0
        self.sps = []    # by step
        self.areas = []  # arrays on the stack that are there in front of each step: (begin, end, step that made it)
        out = subprocess.run([STATEMENTS, path], stdout=subprocess.PIPE, check=True).stdout
        for line in out.splitlines():
            row = json.loads(line)
            if "block" in row:
                blocks[row["block"]] = Block(row)
            elif "executed" in row:
                self.execute(Execution(len(self.executions), blocks[row["executed"]], row))
            else:
                row["number"] = number = number + 1
                self.take(row)
        self.find_areas()

    def find_areas(self):
        """An array is there until the stack pointer is above its begin again."""
        for execution, i in self.steps:
            self.sps.append(execution.sp[i] if execution.known else self.sps[-1])
        found = {}
        open_now = []
        for step, (execution, i) in enumerate(self.steps):
            sp = self.sps[step]
            while open_now and open_now[-1][0] < sp:
                open_now.pop()
            self.areas.append(tuple(open_now))
            block = execution.block
            if block not in found:
                found[block] = resizing(block)
            if i in found[block] and step + 1 < len(self.sps) and self.sps[step + 1] < sp:
                open_now.append((self.sps[step + 1], sp, step))

    def note(self, place, byte, time, written):
        times, writers = self.history[place].setdefault(byte, ([], []))
        times.append(time)
        writers.append(written)

    def take(self, row):
        time = (len(self.executions), -1)
        if row["size"] > 1024:
            self.ranges.append((time, row))
            return
        for i in range(row["size"]):
            self.note(row["outside"], row["where"] + i, time, Written(outside=row, skip=i))

    def execute(self, run):
        assert run.step == len(self.steps), f"block {run.number} does not begin at step {len(self.steps)}"
        self.executions.append(run)
        self.steps += [(run, i) for i in range(run.count)]
        block = run.block
        writes = [(op, "register", offset, size, s, i) for i, ((op, offset, size), s)
                  in enumerate(zip(block.writes, block.write_statement))]
        writes += [(op, "memory", run.addresses[i], size, s, i) for i, ((op, kind, size, _), s)
                   in enumerate(zip(block.accesses, block.access_statement))
                   if kind == "store" and i < len(run.addresses)]
        for op, place, where, size, statement, access in sorted(writes, key=lambda w: w[0]):
            if op >= run.ops or where is None:
                continue
            for i in range(size):
                self.note(place, where + i, (run.number, statement),
                          Written(run, statement, access, i))

    def writer(self, place, byte, execution, statement):
        """Who wrote the byte last before the statement of the execution."""
        before = (execution.number, statement)
        times, writers = self.history[place].get(byte, ((), ()))
        i = bisect.bisect_left(times, before)
        found, time = (writers[i - 1], times[i - 1]) if i else (NOBODY, (-1, -1))
        for when, row in self.ranges:
            if row["outside"] == place and time <= when < before and 0 <= byte - row["where"] < row["size"]:
                found, time = Written(outside=row), when
        return found

    def step_of(self, execution, statement):
        return execution.step + execution.block.instruction_of[statement]

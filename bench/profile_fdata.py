# SPDX-License-Identifier: MIT
"""The exact profile of a run: callgrind's counts of instructions, jumps and calls as BOLT's fdata.

callgrind counts every instruction and every taken jump, so each edge of the control flow graph has one
count: a taken edge its jumps, the other edge of a conditional jump what is left of its executions, and a
plain fall-through into a block what did not come to that block by a jump. BOLT takes a record from the
last instruction of a block to the next block as the count of the fall-through. A record that is no edge
makes BOLT reject the whole function, so that it is BOLT that checks this file: no function may be
invalid.

Special cases: `rep` instructions appear as jumps to themselves and are no branches; jumps into another
function appear as calls, from a conditional jump too; calls from other objects count as entries from
nowhere.
"""
import bisect
import collections
import os
import re
import subprocess

JUMP = re.compile(r"(?:bnd |notrack )?(j\w+)(?:,p[nt])?\s+(?:([0-9a-f]+)\b)?")
LEAVES = re.compile(r"(?:bnd |notrack |repz )?(?:jmp|ret|hlt|ud2)")
INSTRUCTION = re.compile(r"\s*([0-9a-f]+):\t(.*)$")
REFERENCE = re.compile(r"lea .*# ([0-9a-f]+)\b")
RELOCATION = re.compile(r"([0-9a-f]+)\s+[0-9a-f]+\s+R_X86_64_(64|PC32)\s+([0-9a-f]+)\s+(\S+) \+ ([0-9a-f]+)$")


def text_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


class Functions:
    """Functions by address, named as BOLT does: local ones get a number, in the order of the table."""

    def __init__(self, binary):
        found, seen = {}, collections.Counter()
        for line in text_of("readelf", "-sW", binary).splitlines():
            fields = line.split()
            if len(fields) < 8 or fields[3] != "FUNC" or fields[6] == "UND":
                continue
            start, size, name = int(fields[1], 16), int(fields[2], 0), fields[7].split("@")[0]
            if fields[4] == "LOCAL":
                seen[name] += 1
                name = f"{name}/{seen[name]}"
            if start not in found or found[start][0] == 0:
                found[start] = (size, name)
        self.starts = sorted(found)
        self.found = found

    def at(self, address):
        """Name and start of the function at the address, or None."""
        i = bisect.bisect_right(self.starts, address) - 1
        if i < 0:
            return None
        start = self.starts[i]
        size, name = self.found[start]
        return (name, start) if size == 0 or address < start + size else None


def table_targets(binary, tables):
    """Where jump tables lead, by the relocations of constant data: a case that is not taken begins a block, too."""
    is_data = False
    for line in text_of("readelf", "-rW", binary).splitlines():
        if line.startswith("Relocation section"):
            is_data = "'.rela.rodata" in line or "'.rela.data.rel.ro" in line
        m = RELOCATION.match(line) if is_data else None
        if m is None:
            continue
        place, target = int(m[1], 16), int(m[3], 16) + int(m[5], 16)
        if m[2] == "64":
            yield target
        elif (i := bisect.bisect_right(tables, place)) > 0:
            yield target - (place - tables[i - 1])  # offsets count from the table


class Code:
    """The instructions of a section, or of all: what follows what, and where blocks begin."""

    def __init__(self, binary, section=".text"):
        self.text, self.next, self.leaders = {}, {}, set()
        before = None
        tables = set()  # what is referred to
        command = ["objdump", "-d", "--no-show-raw-insn", *(["-j", section] if section else []), binary]
        for line in text_of(*command).splitlines():
            if not (m := INSTRUCTION.match(line)):
                continue
            address, text = int(m[1], 16), m[2].strip()
            self.text[address] = text
            if before is not None:
                self.next[before] = address
            before = address
            if (m := JUMP.match(text)) and m[2]:
                self.leaders.add(int(m[2], 16))
            if m := REFERENCE.search(text):
                tables.add(int(m[1], 16))
        self.leaders |= {to for to in table_targets(binary, sorted(tables)) if to in self.text}
        self.previous = {b: a for a, b in self.next.items()}

    def is_conditional(self, address):
        m = JUMP.match(self.text[address])
        return m is not None and m[1] != "jmp"

    def leaves(self, address):
        return LEAVES.match(self.text[address]) is not None


class Counts:
    """callgrind's counts of one object, or of one and the code that callgrind knows no object of."""

    def __init__(self, binary, path, with_unknown=False):
        self.executed = collections.Counter()
        self.jumps = collections.Counter()
        self.calls = collections.Counter()
        self.entries = collections.Counter()
        names = {os.path.basename(binary), *(["???"] if with_unknown else [])}
        is_here, callee_here, pending = False, None, None
        with open(path, encoding="utf-8", errors="replace") as f:
            for line in f:
                key, _, value = line.partition("=")
                if key == "ob":
                    is_here = os.path.basename(value.strip()) in names
                elif key == "cob":
                    callee_here = os.path.basename(value.strip()) in names
                elif key == "calls":
                    count, target = value.split()[:2]
                    inside = is_here if callee_here is None else callee_here
                    pending = ("call", int(count), int(target, 16) if inside else None)
                    callee_here = None
                elif key in ("jump", "jcnd"):
                    # jcnd=taken/executed target
                    count, target = value.split()[:2]
                    pending = ("jump", int(count.split("/")[0]), int(target, 16))
                elif line.startswith("0x"):
                    fields = line.split()
                    self._add(int(fields[0], 16), fields, is_here, pending)
                    pending = None

    def _add(self, address, fields, is_here, pending):
        if pending is None:
            if is_here and len(fields) > 1:
                self.executed[address] += int(fields[1])
            return
        kind, count, target = pending
        if target is None:
            return
        if kind == "jump":
            if is_here:
                self.jumps[address, target] += count
        elif is_here:
            self.calls[address, target] += count
        else:
            self.entries[target] += count


def edges_of(code, functions, counts):
    """Counts of (from, to): jumps, fall-throughs and calls."""
    jumps = collections.Counter({(a, b): n for (a, b), n in counts.jumps.items()
                                 if a != b and not code.text.get(a, "").startswith("rep")})
    taken, arriving = collections.Counter(), collections.Counter()
    for (a, b), n in jumps.items():
        taken[a] += n
        arriving[b] += n
    for (a, _), n in counts.calls.items():
        taken[a] += n
    falls = collections.Counter()
    for a, n in counts.executed.items():
        if a in code.next and code.is_conditional(a):
            falls[a, code.next[a]] += n - taken[a]
    for b in code.leaders | {b for _, b in jumps}:
        a = code.previous.get(b)
        if a is None or b not in counts.executed or code.is_conditional(a) or code.leaves(a):
            continue
        if functions.at(a) == functions.at(b):
            # callgrind adds the stub of the PLT to the call, so that a block that begins with one counts too much.
            falls[a, b] += min(counts.executed[b] - arriving[b], counts.executed[a])
    return jumps + falls + counts.calls


def write_fdata(binary, callgrind, out):
    functions = Functions(binary)
    counts = Counts(binary, callgrind)
    records = collections.Counter()
    for (a, b), n in edges_of(Code(binary), functions, counts).items():
        source, target = functions.at(a), functions.at(b)
        if source and target:
            records[f"1 {source[0]} {a - source[1]:x}", f"1 {target[0]} {b - target[1]:x}"] += n
    for b, n in counts.entries.items():
        target = functions.at(b)
        if target and target[1] == b:
            records["0 [unknown] 0", f"1 {target[0]} 0"] += n
    with open(out, "w", encoding="utf-8") as f:
        for (source, target), n in sorted(records.items()):
            f.write(f"{source} {target} 0 {n}\n")

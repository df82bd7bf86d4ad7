# SPDX-License-Identifier: MIT
"""Judges the pairs of `twinrun match -o FILE` by symbols and by DWARF lines.

Functions are judged by their names, data by symbol and offset, blocks by the places of the source that their
instructions come from: a pair of blocks is right when they share a place, and wrong when both have places that the
other binary has too, but none in common. What the truth does not know (a function whose name the other binary does
not have, lines that were changed, data without symbols) is not judged, and counted as such.
"""
import bisect
import collections
import os
import re
import sqlite3
import struct
import subprocess

SUBJECTS = ("function", "basicblock", "data")
STRENGTHS = ("exact", "strong", "fair", "weak")
RIGHT, WRONG, UNJUDGED = "right", "wrong", "unjudged"
SUFFIX = re.compile(r"\.(constprop|isra|part|lto_priv|llvm|cold|localalias)\b.*")

SHF_EXECINSTR, PT_LOAD, PF_X = 4, 1, 1
NUMBER = re.compile(r"(\.\d+|@.*)$")  # of a static variable; the version of an imported one
PART = re.compile(r"\.(part|cold)\b")


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, errors="replace").stdout


class Sections:
    """Where a little-endian ELF64 file has code and data, as ranges of addresses."""

    def __init__(self, binary):
        with open(binary, "rb") as file:
            image = file.read()
        if image[:6] != b"\x7fELF\x02\x01":
            raise ValueError(f"{binary} is no 64-bit ELF file of a little-endian machine")
        segments, sections = struct.unpack_from("<QQ", image, 32)
        segment_size, segment_count, section_size, section_count = struct.unpack_from("<HHHH", image, 54)
        self.code, self.data = [], []
        for index in range(section_count):
            _, _, flags, address, _, length = struct.unpack_from("<IIQQQQ", image, sections + index * section_size)
            if flags & SHF_EXECINSTR and length:
                self.code.append((address, address + length))
        # By segments: code refers to what lies between two sections, as __TMC_END__ does.
        for index in range(segment_count):
            kind, flags, _, address, _, _, length = struct.unpack_from("<IIQQQQQ", image, segments + index * segment_size)
            if kind == PT_LOAD and not flags & PF_X:
                self.data.append((address, address + length))

    def has_code(self, start, end):
        return any(first <= start < end <= last for first, last in self.code)

    def has_data(self, start, end):
        return any(first <= start < end <= last for first, last in self.data)


class Symbols:
    """Names of functions and of data, by address."""

    def __init__(self, binary):
        self.functions = collections.defaultdict(set)
        self.sections = Sections(binary)
        objects = {}
        for line in output("nm", "-S", "--defined-only", binary).splitlines():
            fields = line.split()
            address = int(fields[0], 16)
            if len(fields) == 3 and fields[1] in "tTwWi" and self.sections.has_code(address, address + 1):
                self.functions[address].add(fields[2])
            if len(fields) != 4:
                continue
            size, kind, name = int(fields[1], 16), fields[2], fields[3]
            if kind in "tTwWi":
                self.functions[address].add(name)
            elif kind in "dDbBrRuvVgG" and size:
                objects.setdefault(address, (size, NUMBER.sub("", name)))
        self.starts = sorted(objects)
        self.objects = objects
        self.names = collections.Counter(SUFFIX.sub("", name) for names in self.functions.values() for name in names)
        # Names of one function only; a part that was split off is not the function.
        wholes = collections.defaultdict(set)
        for address, names in self.functions.items():
            for name in names:
                if not PART.search(name):
                    wholes[SUFFIX.sub("", name)].add(address)
        self.alone = {name: min(where) for name, where in wholes.items() if len(where) == 1}
        self.data_names = collections.Counter(name for _, name in objects.values())

    def function(self, address):
        return {SUFFIX.sub("", name) for name in self.functions.get(address, ())}

    def data(self, address):
        """(name, offset, size of the object) or None."""
        at = bisect.bisect_right(self.starts, address) - 1
        if at < 0:
            return None
        start = self.starts[at]
        size, name = self.objects[start]
        return (name, address - start, size) if address < start + size else None


class Lines:
    """The places (file, line, column) of instructions."""

    def __init__(self, binary):
        self.addresses = []
        self.places = []
        sections = Sections(binary)
        files, sequence, rows = {}, {}, {}
        for line in output("llvm-dwarfdump-19", "--debug-line", binary).splitlines():
            if line.startswith("debug_line["):
                files = {}
            match = re.match(r"file_names\[\s*(\d+)\]:", line)
            if match:
                number = int(match[1])
            match = re.match(r'\s+name: "(.*)"', line)
            if match:
                files[number] = os.path.basename(match[1])
            match = re.match(r"0x([0-9a-f]+)\s+(\d+)\s+(\d+)\s+(\d+)\s+\d+\s+\d+(.*)", line)
            if not match:
                continue
            address = int(match[1], 16)
            if "end_sequence" not in match[5]:
                sequence[address] = (files.get(int(match[4]), "?"), int(match[2]), int(match[3]))
                continue
            sequence.pop(address, None)
            if sequence and sections.has_code(min(sequence), address):  # else the linker left it out
                rows |= sequence
                rows.setdefault(address, None)  # another one may begin where this one ends
            sequence = {}
        for address in sorted(rows):
            self.addresses.append(address)
            self.places.append(rows[address])

    def at(self, start, end):
        """The places of the instructions in [start, end); line 0 is none."""
        first = max(bisect.bisect_right(self.addresses, start) - 1, 0)
        last = bisect.bisect_left(self.addresses, end)
        return {place for place in self.places[first:last] if place and place[1]}


class LineMap:
    """Which line of the old source is which of the new one; the identity for files that are the same."""

    def __init__(self, pairs):
        """`pairs`: file name to (old path, new path) of those that differ."""
        self.maps = {name: self.compare(old, new) for name, (old, new) in pairs.items()}

    @staticmethod
    def compare(old, new):
        """{old line: new line}. Of equal stretches only those with a line that is once in each file: others, and lines
        without a letter or digit, `diff` pairs by chance."""
        texts = []
        for path in (old, new):
            with open(path, encoding="utf-8", errors="replace") as file:
                texts.append(file.read().split("\n"))
        counts = [collections.Counter(text) for text in texts]
        done = subprocess.run(["diff", "-d", old, new], stdout=subprocess.PIPE, text=True, errors="replace",
                              check=False).stdout
        moved = {}

        def add(first, last, at):
            stretch = texts[0][first - 1:last]
            if any(counts[0][line] == counts[1][line] == 1 for line in stretch):
                moved.update((first + i, at + i) for i, line in enumerate(stretch) if re.search(r"\w", line))

        at_old = at_new = 1
        for line in done.splitlines():
            match = re.match(r"(\d+)(?:,(\d+))?([acd])(\d+)(?:,(\d+))?$", line)
            if not match:
                continue
            old_first, old_last = int(match[1]), int(match[2] or match[1])
            new_last = int(match[5] or match[4])
            if match[3] == "a":
                old_first, old_last = old_first + 1, old_first
            add(at_old, old_first - 1, at_new)
            at_old, at_new = old_last + 1, new_last + 1
        add(at_old, len(texts[0]), at_new)
        return moved

    def new_place(self, place):
        """None when the line was changed."""
        moved = self.maps.get(place[0])
        if moved is None:
            return place
        line = moved.get(place[1])
        return line and (place[0], line, place[2])


class Judge:
    def __init__(self, old, new, line_map=None, columns=True):
        self.symbols = Symbols(old), Symbols(new)
        self.lines = Lines(old), Lines(new)
        self.line_map = line_map or LineMap({})
        self.columns = columns
        known = [{self.place(p) for p in lines.places if p and p[1]} for lines in self.lines]
        self.known_new = known[1]
        self.known_old = {self.place(mapped) for p in self.lines[0].places if p and p[1]
                          for mapped in [self.line_map.new_place(p)] if mapped}

    def is_known(self, old):
        """Whether the new binary has code of a place of the old block."""
        return any(self.place(mapped) in self.known_new for p in self.lines[0].at(*old)
                   for mapped in [self.line_map.new_place(p)] if mapped)

    def place(self, place):
        return place if self.columns else place[:2]

    def function(self, old, new):
        a, b = self.symbols[0].function(old), self.symbols[1].function(new)
        if not a or not b:
            return UNJUDGED
        if a & b:
            return RIGHT
        if any(name in self.symbols[1].names for name in a) or any(name in self.symbols[0].names for name in b):
            return WRONG
        return UNJUDGED  # neither is known on the other side: it may have got another name

    def block(self, old, new):
        """Of (start, end) pairs."""
        a = {self.place(m) for p in self.lines[0].at(*old) for m in [self.line_map.new_place(p)] if m}
        b = {self.place(p) for p in self.lines[1].at(*new)}
        if a & b:
            return RIGHT
        # A place that the other binary has no code of says nothing.
        return WRONG if a & self.known_new and b & self.known_old else UNJUDGED

    def data(self, old, new):
        """Of (start, end) pairs."""
        a, b = self.symbols[0].data(old[0]), self.symbols[1].data(new[0])
        if not a or not b:
            return UNJUDGED
        if a[0] == b[0]:
            if a[2] != b[2]:
                return RIGHT  # it has grown, and what is where in it is not known
            # Where a portion begins depends on what refers to it; the same bytes must be in both.
            return RIGHT if a[1] < b[1] + new[1] - new[0] and b[1] < a[1] + old[1] - old[0] else WRONG
        if a[0] in self.symbols[1].data_names or b[0] in self.symbols[0].data_names:
            return WRONG
        return UNJUDGED


def recall(database, truth, blocks):
    """{subject: (found, those that there are to be found)}, of what is in both binaries: functions and data with a name
    that is theirs alone, and old blocks with a place that the new binary has code of. `blocks`: all old ones, as
    (start, end)."""
    connection = sqlite3.connect(database)
    found, there = collections.Counter(), collections.Counter()
    pairs = dict(connection.execute("select address1, address2 from function"))
    partner = truth.symbols[1].alone
    for address in {address for name, address in truth.symbols[0].alone.items() if name in partner}:
        there["function"] += 1
        found["function"] += address in pairs and truth.function(address, pairs[address]) == RIGHT
    there["basicblock"] = sum(truth.is_known(block) for block in blocks)
    for a, b, size1, size2 in connection.execute("select address1, address2, size1, size2 from basicblock"):
        found["basicblock"] += truth.block((a, a + size1), (b, b + size2)) == RIGHT
    right = {truth.symbols[0].data(a)[0]
             for a, b, size1, size2 in connection.execute("select address1, address2, size1, size2 from data")
             if truth.data((a, a + size1), (b, b + size2)) == RIGHT}
    for name, count in truth.symbols[0].data_names.items():
        if count == 1 and truth.symbols[1].data_names.get(name) == 1:
            there["data"] += 1
            found["data"] += name in right
    return {subject: (found[subject], there[subject]) for subject in SUBJECTS}


def judge(database, truth):
    """{(subject, rule, level, strength): Counter of verdicts} and the wrong pairs."""
    rows = collections.defaultdict(collections.Counter)
    wrong = []
    connection = sqlite3.connect(database)

    def count(subject, rule, level, strength, verdict, old, new):
        rows[subject, rule, level or "", strength][verdict] += 1
        if verdict == WRONG:
            wrong.append((subject, rule, level or "", strength, old, new))

    for a, b, rule, level, strength in connection.execute(
            "select address1, address2, rule, level, strength from function"):
        count("function", rule, level, strength, truth.function(a, b), a, b)
    query = "select address1, address2, size1, size2, rule, level, strength from basicblock"
    for a, b, size1, size2, rule, level, strength in connection.execute(query):
        count("basicblock", rule, level, strength, truth.block((a, a + size1), (b, b + size2)), a, b)
    query = "select address1, address2, size1, size2, rule, level, strength from data"
    for a, b, size1, size2, rule, level, strength in connection.execute(query):
        count("data", rule, level, strength, truth.data((a, a + size1), (b, b + size2)), a, b)
    return rows, wrong

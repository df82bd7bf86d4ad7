# SPDX-License-Identifier: MIT
"""Judges the text that `twinrun why GOOD BAD` prints against the lines that are known to be the cause.

Nothing but the text counts, asked with the usual flags and without a hint: what somebody reads who knows no more than
that one run is wrong. Of the text are read

    the headline    the sentences in front of the two runs: the lines up to the first empty one that begin in the first column
    the lines       FILE:LINE wherever it stands, in the order of the text, each once; "FILE:9 ... also lines 12, 15 of function"
                    names three lines of that file

found: a line of the cause is among them; first: among the first TEN; function: one of the first TEN is in the function of
a line of the cause. The headline

    has meaning     when it names an input that differs between the runs (an argument, standard input, a file, what became
                    of a call about a file that is not the system's), a line or the function of the cause, or, where
                    the bug misuses memory, such a misuse
    misleads        when it names an input that is the same in both runs, the time or something else that tells nothing, or
                    says that there is no difference
    says nothing    otherwise: a place that is not of the cause's function, an address, the code of a library, nothing
"""
import re

import truth

TEN = 10
SUMS = ("found", "first", "function", "meaning", "not misleading")
WANTED = {"O0": {"found": 0.75, "first": 0.50, "function": 0.70, "meaning": 1.0, "not misleading": 1.0},
          "O2": {"found": 0.70, "first": 0.45, "function": 0.70, "meaning": 1.0, "not misleading": 1.0}}
# What has been reached, less a row or two: below it something has become worse.
FLOORS = {"O0": {"found": 0.63, "first": 0.33, "function": 0.70, "meaning": 0.93, "not misleading": 1.0},
          "O2": {"found": 0.60, "first": 0.33, "function": 0.70, "meaning": 0.96, "not misleading": 1.0}}

PLACE = re.compile(r"([\w.+-]+\.[A-Za-z][\w+]*):(\d+)\b")
FURTHER = re.compile(r"\balso lines? ((?:\d+, )*\d+) of \S")
SIDE = re.compile(r"[AB]  ")
SAME = re.compile(r"\bno difference\b", re.IGNORECASE)
NOISE = re.compile(r"\b(time|clock_gettime|gettimeofday|clock|date|process (number|id)s?|getpid|getppid|pid|random|getrandom"
                   r"|AT_[A-Z]+|auxiliary vector|seed|hostname)\b", re.IGNORECASE)
MISUSE = re.compile(r"\b(overflow\w*|out of bounds|(beyond|behind|past|outside) (the end|its end|the begin\w*|the block|the array)"
                    r"|freed|double free|free[sd] twice|use after free|uninitiali[sz]ed|never (set|written|initiali[sz]ed)"
                    r"|null pointer|NULL|overwr\w+|dangling)\b", re.IGNORECASE)
RESULT = re.compile(r'\b\w+\("([^"]*)"\):? (?:succeeds|fails)')
OF_THE_SYSTEM = re.compile(r"/(etc|lib\w*|usr|proc|dev|sys)/")
NAMED_INPUT = re.compile(r"([^\s;:()]+), (?:byte|line) \d+")
OF_INPUT = re.compile(r"because of ([^\s()]+) \(A: ([^\s()]+)\)")
OFFSET = r", byte (\d+)"


class Inputs:
    """What a run was given: arguments, the standard input or None, files by name (those too that it made), the environment."""

    def __init__(self, args, stdin, files, environment):
        self.args, self.stdin, self.files, self.environment = args, stdin, files, environment


def headline(text):
    lines = text.split("\n")
    before = lines[:lines.index("")] if "" in lines else lines
    return "\n".join(line for line in before if line and not line[0].isspace() and not SIDE.match(line))


def printed_places(text, is_source):
    """[(file, line)]: what the text names, each once. is_source: whether a name is that of a source of the program."""
    found = []
    for line in text.split("\n"):
        if SIDE.match(line):
            continue  # its command
        for match in PLACE.finditer(line):
            if not is_source(match[1]):
                continue
            further = FURTHER.search(line, match.end())
            found += [(match[1], int(match[2]))]
            found += [(match[1], int(number)) for number in further[1].split(", ")] if further else []
    return list(dict.fromkeys(found))


def is_root(place, roots):
    return any(place[1] == line and truth.same_file(place[0], path) for path, line in roots)


def named_inputs(text, good, bad):
    """Of each input that the text names whether it differs: [bool]."""
    said = []
    for number in re.findall(r"\bargv\[(\d+)\]", text):
        index = int(number) - 1
        said.append(index >= 0 and good.args[index:index + 1] != bad.args[index:index + 1])
    if re.search(r"\bargc\b|number of arguments", text):
        said.append(len(good.args) != len(bad.args))
    if "standard input" in text:
        said.append(good.stdin != bad.stdin)
    for name in sorted(set(good.environment) | set(bad.environment)):
        if re.search(rf"\benvironment variable {re.escape(name)}\b|(?<![\w$]){re.escape(name)}=", text):
            said.append(good.environment.get(name) != bad.environment.get(name))
    results = RESULT.findall(text)
    said += [not OF_THE_SYSTEM.match(path) for path in results]
    files = {match[1].rsplit("/", 1)[-1] for match in NAMED_INPUT.finditer(text)}
    files |= {name.rsplit("/", 1)[-1] for pair in OF_INPUT.findall(text) for name in pair} & (set(good.files) | set(bad.files))
    files = {name for name in files if not re.match(r"(argv\[|input$|pipe|socket|PATH$)", name)
             and name not in good.environment and not any(name in path for path in results)}
    if files:
        said.append(files_differ(text, files, good, bad))
    return said


def files_differ(text, names, good, bad):
    """Whether files that the text names are a reason: two different ones, whose named bytes differ where it names bytes;
    or one that the runs have with different contents."""
    known = {name for name in names if name in good.files or name in bad.files}
    if len(known) == 1:
        name = next(iter(known))
        used = [any(name in word for word in run.args) or run.stdin == run.files.get(name) for run in (good, bad)]
        return good.files.get(name) != bad.files.get(name) or used[0] != used[1]
    values = set()
    for name in sorted(known):
        match = re.search(re.escape(name) + OFFSET, text)
        content = bad.files.get(name, good.files.get(name))
        values.add(content[int(match[1]):int(match[1]) + 1] if match else content)
    return len(values) > 1


def judge_headline(text, roots, root_functions, function_of, is_source, inputs, misuse):
    """meaning, misleading or nothing."""
    if SAME.search(text):
        return "misleading"
    places = printed_places(text, is_source)
    names = {function[2].split("::")[-1] for function in root_functions if function and function[2]}
    said = named_inputs(text, *inputs)
    if any(said) or any(is_root(place, roots) or function_of(*place) in root_functions for place in places) \
            or any(re.search(rf"\b{re.escape(name)}\b", text) for name in names) or (misuse and MISUSE.search(text)):
        return "meaning"
    if said or NOISE.search(text):
        return "misleading"
    return "nothing"


def judge(text, roots, function_of, is_source, inputs, misuse=False):
    """A row. roots: {(file, line)}; function_of(file, line): what identifies the function there, or None; inputs: those of
    the good and of the bad run."""
    places = printed_places(text, is_source)
    root_functions = {function_of(*root) for root in roots} - {None}
    rank = next((i + 1 for i, place in enumerate(places) if is_root(place, roots)), None)
    said = headline(text)
    verdict = judge_headline(said, roots, root_functions, function_of, is_source, inputs, misuse)
    return {"lines": len(places), "rank": rank, "found": rank is not None, "first": rank is not None and rank <= TEN,
            "function": any(function_of(*place) in root_functions for place in places[:TEN]), "headline": verdict,
            "meaning": verdict == "meaning", "not misleading": verdict != "misleading", "said": said}


def totals(rows):
    """{level: {sum: share}} of the levels that there are rows of."""
    sums = {}
    for level in ("O0", "O2"):
        counted = [row for row in rows if row["build"].endswith(level)]
        if counted:
            sums[level] = {name: sum(bool(row[name]) for row in counted) / len(counted) for name in SUMS}
    return sums


def below_floors(rows, floors=None):
    """What falls below its floor, as texts."""
    wrong = []
    for level, shares in totals(rows).items():
        for name, floor in (floors or FLOORS)[level].items():
            if shares[name] < floor - 1e-9:
                wrong.append(f"{level}, {name}: {shares[name]:.0%}, at least {floor:.0%} are wanted")
    return wrong

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws bugs: changes one line of a program at random and keeps the first changes that only some inputs show.

For each program of mutants/mutate.toml a generator seeded with SEED and the program's name draws an operator and
then a place for it, among the lines that at least one input executes (gcc --coverage). The mutant is compiled with
gcc -O0 and run on all inputs. It is kept when, in one family of inputs, some behave as with the unchanged program
and others do not, four times alike. The bad input is the first that fails, the good one the passing input of the same
family that is most similar to it. The first COUNT of a program are kept, at most one per line, whatever they are
like; the number of the draw is the mutant's index.

usage: mutate.py [-C CACHE] [-n COUNT] [-o DIRECTORY] [PACKAGE...]

writes DIRECTORY/PACKAGE-INDEX/ with bug.patch, the inputs and a case.toml without the sentence on the cause. The
ones of cases/ were drawn with the values below, so the same are drawn again.
"""
import argparse
import difflib
import os
import random
import re
import shutil
import subprocess
import sys
import tomllib

import truth

SEED = 20261115
COUNT = 2
MOST_DRAWS = 400
SECONDS = 2
MUTANTS = os.path.join(truth.HERE, "mutants")
STRING = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|//.*|/\*.*?(?:\*/|$)')


def code_of(line):
    """The line with strings and comments blanked, so that positions stay."""
    return STRING.sub(lambda match: " " * len(match[0]), line)


def replaced(line, match, text):
    return line[:match.start()] + text + line[match.end():]


def relational(line):
    swap = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
    for match in re.finditer(r"(?<=[\w\])\s])(<=|>=|==|!=|<|>)(?=[\w(\s\-'])", code_of(line)):
        if not re.search(r"template|#include|static_cast|_cast<|<\w+>", line):
            yield replaced(line, match, swap[match[0]])


def constant(line):
    for match in re.finditer(r"(?<![\w.])(\d+)(?![\w.])", code_of(line)):
        yield replaced(line, match, str(int(match[0]) + 1))
        if int(match[0]) > 0:
            yield replaced(line, match, str(int(match[0]) - 1))


def off_by_one(line):
    for match in re.finditer(r"\s*[-+]\s*1(?![\w.])", code_of(line)):
        yield replaced(line, match, "")
    for match in re.finditer(r"(?<=\[)(\w+)(?=\])", code_of(line)):
        yield replaced(line, match, match[0] + " + 1")


def drop_assignment(line):
    if re.match(r"\s*[*\w.\->\[\]]+(\s*[-+|&]?=[^=].*|\+\+|--);\s*$", code_of(line)):
        yield None


def drop_call(line):
    if re.match(r"\s*(?!return|else|if|for|while|delete|case)[\w:.\->]+\s?\(.*\);\s*$", code_of(line)):
        yield None


def swap_variable(line):
    names = [match for match in re.finditer(r"(?<![\w.>\"])[a-z]\w*(?![\w(:\"]|\s*\()", code_of(line))
             if match[0] not in KEYWORDS]
    for match in names:
        for other in sorted({name[0] for name in names} - {match[0]}):
            yield replaced(line, match, other)


def change_sign(line):
    for match in re.finditer(r"\((?:unsigned( char| int| long)?|size_t|uint\w*|uch|ulg|lu_byte|UChar)\)\s*", code_of(line)):
        yield replaced(line, match, "")
    for match in re.finditer(r"(?<![(\w])unsigned char\b|\bsize_t\b(?=\s+\w)|\bunsigned( int| long)?\b(?=\s+\w)", code_of(line)):
        yield replaced(line, match, "signed char" if "char" in match[0] else "short" if "unsigned" in match[0] else "int")


def remove_break(line):
    if re.match(r"\s*break;\s*$", code_of(line)):
        yield None


def logic(line):
    for match in re.finditer(r"&&|\|\|", code_of(line)):
        yield replaced(line, match, "||" if match[0] == "&&" else "&&")


def drop_condition(line):
    match = re.search(r"\((.+?)\s*&&\s*", code_of(line))
    if match and match[1].count("(") == match[1].count(")"):
        yield line[:match.start() + 1] + line[match.end():]


KEYWORDS = set("if else for while do return break continue switch case default sizeof static const int char long short "
               "unsigned void struct new delete this true false goto size_t bool double float auto register".split())
OPERATORS = (relational, constant, off_by_one, drop_assignment, drop_call, swap_variable, change_sign, remove_break, logic,
             drop_condition)
KIND = {"relational": "wrong-branch", "constant": "wrong-value", "off_by_one": "off-by-one",
        "drop_assignment": "missing-assignment", "drop_call": "missing-call", "swap_variable": "wrong-value",
        "change_sign": "sign-or-overflow", "remove_break": "wrong-branch", "logic": "wrong-branch",
        "drop_condition": "wrong-branch"}


class Program:
    """A package with the inputs of its mutants."""

    def __init__(self, name, how, packages, cache):
        self.name, self.how, self.package, self.cache = name, how, packages[name], cache
        self.shared = how.get("shared", [])
        self.directory = os.path.join(MUTANTS, name)
        self.inputs = sorted(set(os.listdir(self.directory)) - set(self.shared))
        self.objects, self.program = truth.build_package(name, self.package, "gcc-O0", cache)
        self.tree = truth.fetch(name, self.package, cache)
        self.scratch = os.path.join(cache, "mutants", name)
        self.expected = {name: self.behave(self.program, name) for name in self.inputs}

    def side(self, name):
        """The run of one input as in a case."""
        name = name.removesuffix(".input")
        side = {"args": [word.replace("{}", name) for word in self.how.get("args", [])]}
        if "stdin" in self.how:
            side["stdin"] = self.how["stdin"].replace("{}", name)
        return side

    def behave(self, program, name):
        directory = os.path.join(self.scratch, "run")
        shutil.rmtree(directory, ignore_errors=True)
        os.makedirs(directory)
        truth.copy_inputs(self.directory, self.shared + [name], directory)
        side = self.side(name)
        stdin = side.get("stdin")
        return truth.behave(program, [program] + side["args"], stdin and os.path.join(directory, stdin), truth.ENVIRONMENT,
                            directory, SECONDS)

    def executed(self):
        """{source: lines that some input executes}."""
        where = os.path.join(self.scratch, "coverage")
        shutil.rmtree(where, ignore_errors=True)
        objects = []
        for source in truth.package_sources(self.package, self.tree):
            objects.append(os.path.join(where, source.replace("/", "_") + ".o"))
            truth.compile_one("gcc-O0", self.package, self.tree, source, objects[-1], ["--coverage"])
        program = os.path.join(where, "program")
        truth.link("gcc-O0", self.package, self.tree, objects, program, ["--coverage"])
        for name in self.inputs:
            self.behave(program, name)
        lines = {}
        for source, target in zip(truth.package_sources(self.package, self.tree), objects):
            if os.path.exists(target[:-2] + ".gcda"):
                text = subprocess.run(["gcov", "-t", "-o", target[:-2] + ".gcda", source], cwd=self.tree, check=False,
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode(errors="replace")
                part = (text.split("Source:" + source + "\n", 1) + [""])[1].split(":Source:", 1)[0]
                lines[source] = [int(line) for line in re.findall(r"(?m)^\s*\d+\*?:\s*(\d+):", part)]
        return lines

    def candidates(self):
        """{operator: [(source, line number, new line or None)]}."""
        found = {operator.__name__: [] for operator in OPERATORS}
        for source, numbers in sorted(self.executed().items()):
            lines = self.read(source)
            for number in sorted(set(numbers)):
                line = lines[number - 1]
                if line.lstrip().startswith(("#", "*", "//")) or "assert" in line or line.endswith("\\"):
                    continue
                before = next((code_of(text).rstrip() for text in reversed(lines[:number - 1]) if code_of(text).strip()), "")
                for operator in OPERATORS:
                    for new in operator(line):
                        if new is not None or before.endswith((";", "{", "}", ":")):
                            found[operator.__name__].append((source, number, new))
        return found

    def read(self, source):
        with open(os.path.join(self.tree, source), encoding="latin-1", newline="") as file:
            return file.read().split("\n")

    def mutant(self, source, number, new):
        """The changed lines; and the program, or None when it does not compile."""
        lines = self.read(source)
        lines[number - 1:number] = [] if new is None else [new]
        path = os.path.join(self.tree, os.path.dirname(source), "mutant-" + os.path.basename(source))
        target = os.path.join(self.scratch, "mutant.o")
        program = os.path.join(self.scratch, "mutant")
        try:
            with open(path, "w", encoding="latin-1", newline="") as file:
                file.write("\n".join(lines))
            truth.compile_one("gcc-O0", self.package, self.tree, os.path.relpath(path, self.tree), target)
            objects = [target if name == source else object_ for name, object_ in self.objects.items()]
            truth.link("gcc-O0", self.package, self.tree, objects, program)
            return lines, program
        except truth.Failure:
            return lines, None
        finally:
            os.unlink(path)

    def judge(self, program):
        """(good, bad, behaviour) of the first family in which some inputs fail and some pass, or None."""
        families = {}
        for name in self.inputs:
            families.setdefault(name.split("-")[0], []).append(name)
        for names in families.values():
            seen = {name: self.behave(program, name) for name in names}
            bad = next((name for name in names if seen[name] != self.expected[name]), None)
            good = [name for name in names if seen[name] == self.expected[name]]
            if bad and good and all(self.behave(program, bad) == seen[bad] for _ in range(3)):
                text = {name: open(os.path.join(self.directory, name), "rb").read() for name in names}
                nearest = max(good, key=lambda name: difflib.SequenceMatcher(None, text[name], text[bad]).ratio())
                return nearest, bad, seen[bad]
        return None


def quote(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t") + '"'


def side_text(side):
    fields = ["args = [" + ", ".join(quote(word) for word in side["args"]) + "]"]
    fields += [f"stdin = {quote(side['stdin'])}"] if "stdin" in side else []
    return "\n".join(fields)


def roots(lines, number, dropped):
    """The changed line; of a dropped one its neighbours that hold code."""
    if not dropped:
        return [number]
    code = [index for index, text in enumerate(lines, 1) if code_of(text).strip() not in ("", "{", "}")]
    return [max(index for index in code if index < number), min(index for index in code if index >= number)]


def write(program, place, operator, index, verdict, out):
    source, number, new, lines = place
    good, bad, seen = verdict
    directory = os.path.join(out, f"{program.name.replace('.', '')}-{index}")
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    for name in [good, bad] + program.shared:
        shutil.copyfile(os.path.join(program.directory, name), os.path.join(directory, name))
    difference = difflib.unified_diff([line + "\n" for line in program.read(source)], [line + "\n" for line in lines],
                                      "a/" + source, "b/" + source)
    with open(os.path.join(directory, "bug.patch"), "w", encoding="latin-1", newline="") as file:
        file.writelines(difference)
    expected = program.expected[bad]
    if seen.status is None:
        fails = 'how = "hang"'
    elif seen.status < 0:
        fails = f'how = "signal"\nsignal = "{seen}"'
    elif seen.status != expected.status:
        fails = f'how = "exit"\nstatus = {seen.status}'
    else:
        fails = f'how = "output"\nstatus = {seen.status}'
    omission = "true" if operator.startswith("drop_a") or operator == "drop_call" else "false"
    text = [f'package = "{program.name}"', f'kinds = ["{KIND[operator]}"]', f"omission = {omission}",
            f'origin = "mutation, seed {SEED}, draw {index}: {operator}"', 'why = ""', "", "[good]",
            side_text(program.side(good)), "", "[bad]", side_text(program.side(bad)), "", "[fails]", fails]
    for line in roots(lines, number, new is None):
        text += ["", "[[root]]", f"file = {quote(source)}", f"line = {line}", f"text = {quote(lines[line - 1].strip())}"]
    with open(os.path.join(directory, "case.toml"), "w", encoding="utf-8") as file:
        file.write("\n".join(text) + "\n")
    return directory


def draw(program, count, out):
    generator = random.Random(f"{SEED}/{program.name}")
    candidates = {operator: places for operator, places in program.candidates().items() if places}
    kept, used = 0, set()
    for index in range(1, MOST_DRAWS + 1):
        operator = generator.choice(sorted(candidates))
        source, number, new = generator.choice(candidates[operator])
        if (source, number) in used:
            continue
        lines, binary = program.mutant(source, number, new)
        verdict = binary and program.judge(binary)
        if not verdict:
            continue
        used.add((source, number))
        directory = write(program, (source, number, new, lines), operator, index, verdict, out)
        print(f"{os.path.basename(directory)}: {operator} {source}:{number}: {verdict[1]} {verdict[2]}, not {verdict[0]}", flush=True)
        kept += 1
        if kept == count:
            return True
    return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-C", dest="cache")
    parser.add_argument("-n", dest="count", type=int, default=COUNT)
    parser.add_argument("-o", dest="out", default="mutants.new")
    parser.add_argument("packages", nargs="*")
    arguments = parser.parse_args()
    packages, cache = truth.load_packages(), truth.cache_directory(arguments.cache)
    with open(os.path.join(MUTANTS, "mutate.toml"), "rb") as file:
        programs = tomllib.load(file)
    print(f"seed {SEED}")
    enough = True
    for name in arguments.packages or programs:
        enough &= draw(Program(name, programs[name], packages, cache), arguments.count, os.path.abspath(arguments.out))
    sys.exit(0 if enough else 1)


if __name__ == "__main__":
    main()

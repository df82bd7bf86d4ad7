#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the sessions that a page of the documentation shows and compares what they print with the page.

  sessions.py PAGE [--section TITLE] [--files DIRECTORY] [--before COMMAND...] [--printed-by COMMAND] [--update]

A block of code whose first line begins with `$ ` is a session: commands, each with what it prints. A fenced block that
has a file's name behind the language is that file. Blocks are indented by four blanks or fenced. Each section (`## `)
has an empty directory, with what --files holds, and a store of its own.

Of what a command prints standard output is compared, of `twinrun record` all of it, as that is the program's. A line
`...` stands for any lines. With --printed-by that command runs instead and prints such sessions itself. What hangs on the machine's C library or the clock is not compared: counts of instructions,
shares, steps and addresses. --update writes what was printed into the page, up to where `...` stood there.
"""
import argparse
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile

VOLATILE = [
    (re.compile(r"[\d.]+ ?[kMG]?(?= instructions\b)"), "N"),
    (re.compile(r"\b[\d.]+%"), "N%"),
    (re.compile(r"\b0x[0-9a-f]{5,}\b"), "0xN"),
    (re.compile(r"\b\d{5,}\b"), "N"),
    (re.compile(r" +$"), ""),
]


def plain(line):
    for pattern, word in VOLATILE:
        line = pattern.sub(word, line)
    return line


class Block:
    """Lines [begin, end) of the page, without their margin; `info` is what stands behind the fence."""

    def __init__(self, begin, end, margin, info, lines, section):
        self.begin, self.end, self.margin, self.info = begin, end, margin, info
        self.lines, self.section = lines, section

    @property
    def is_session(self):
        return bool(self.lines) and self.lines[0].startswith("$ ")

    @property
    def file_name(self):
        words = self.info.split()
        return words[1] if len(words) == 2 else None


def blocks_of(page):
    section = ""
    at = 0
    while at < len(page):
        line = page[at]
        if line.startswith("## "):
            section = line[3:].strip()
        begin = at
        if line.startswith("```"):
            end = next(i for i in range(at + 1, len(page)) if page[i].startswith("```"))
            yield Block(at + 1, end, "", line[3:].strip(), page[at + 1:end], section)
            at = end + 1
        elif line.startswith("    ") and (at == 0 or page[at - 1] == ""):
            while at < len(page) and (page[at].startswith("    ") or page[at] == ""):
                at += 1
            end = at
            while page[end - 1] == "":
                end -= 1
            yield Block(begin, end, "    ", "", [one[4:] for one in page[begin:end]], section)
        else:
            at += 1


def commands_of(block):
    """[command, lines of output] of a session."""
    out = []
    for line in block.lines:
        if line.startswith("$ "):
            out.append([line[2:], []])
        else:
            out[-1][1].append(line)
    return out


def run(command, directory, environment, is_whole=False):
    is_record = is_whole or command.startswith("twinrun record")
    done = subprocess.run(["bash", "-c", command], cwd=directory, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT if is_record else subprocess.PIPE)
    is_trouble = done.returncode > (1 if command.startswith("twinrun") and not is_record else 255 if is_record else 0)
    if is_trouble:
        sys.exit(f"{command}\nexit status {done.returncode}\n{(done.stderr or done.stdout).decode()}")
    text = done.stdout.decode("utf-8", "replace")
    return text.splitlines()


def environment_in(work, program):
    """What the commands find in their environment. Its texts are as long everywhere, as they stand in front of the
    arguments in memory, and a library's copies take other ways at other addresses."""
    os.symlink(os.path.dirname(os.path.realpath(program)), os.path.join(work, "bin"))
    cache = os.environ.get("XDG_CACHE_HOME")
    if cache:
        os.makedirs(cache, exist_ok=True)
        os.symlink(cache, os.path.join(work, "cache"))
    return {"PATH": f"{work}/bin:/usr/local/bin:/usr/bin:/bin", "HOME": work, "LC_ALL": "C.UTF-8", "TERM": "dumb",
            "XDG_CACHE_HOME": work + "/cache", "XDG_DATA_HOME": work + "/store"}


def printed_by(command, environment):
    """{command: lines} of sessions that a program prints."""
    out = {}
    now = []
    for line in run(command, ".", environment, is_whole=True):
        if line.startswith("$ "):
            now = out.setdefault(line[2:], [])
        elif line.startswith("(exit status"):
            now = []
        else:
            now.append(line)
    return out


def matches(wanted, got):
    """Whether the lines are those of the page, where `...` stands for any."""
    if not wanted:
        return not got
    if wanted[0] == "...":
        return any(matches(wanted[1:], got[i:]) for i in range(len(got) + 1))
    return bool(got) and plain(wanted[0]) == plain(got[0]) and matches(wanted[1:], got[1:])


def updated(wanted, got):
    """What the page is to have: as many lines as it had when it ends with `...`."""
    if "..." in wanted and matches(wanted, got):
        return wanted
    if not wanted or wanted[-1] != "..." or len(got) < len(wanted):
        return got
    return got[:len(wanted) - 1] + ["..."]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page")
    parser.add_argument("--section")
    parser.add_argument("--files")
    parser.add_argument("--before", action="append", default=[])
    parser.add_argument("--printed-by")
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()

    program = os.environ["TWINRUN"]
    page = open(options.page, encoding="utf-8").read().split("\n")
    blocks = [one for one in blocks_of(page) if options.section in (None, one.section)]
    work = tempfile.mkdtemp(prefix="twinrun-docs.", dir="/tmp")
    environment = environment_in(work, program)
    printed = printed_by(options.printed_by, environment) if options.printed_by else None
    failures = 0
    ran = 0
    section = None
    replaced = []
    try:
        for block in blocks:
            if block.section != section:
                section = block.section
                directory = os.path.join(work, "d")
                shutil.rmtree(directory, ignore_errors=True)
                shutil.rmtree(environment["XDG_DATA_HOME"], ignore_errors=True)
                if options.files:
                    shutil.copytree(options.files, directory)
                else:
                    os.mkdir(directory)
                for command in options.before:
                    run(command, directory, environment)
            if block.file_name:
                with open(os.path.join(directory, block.file_name), "w", encoding="utf-8") as out:
                    out.write("\n".join(block.lines) + "\n")
            if not block.is_session:
                continue
            lines = []
            for command, wanted in commands_of(block):
                ran += 1
                if printed is not None and command not in printed:
                    sys.exit(f"{options.printed_by} does not run: {command}")
                got = run(command, directory, environment) if printed is None else printed[command]
                # A blank line in front of the next command is the page's own.
                while wanted and wanted[-1] == "":
                    wanted = wanted[:-1]
                while got and got[-1] == "":
                    got = got[:-1]
                lines += ["$ " + command] + updated(wanted, got)
                if options.update or matches(wanted, got):
                    continue
                failures += 1
                print(f"{options.page}, {section}: $ {command}")
                print("\n".join(difflib.unified_diff([plain(one) for one in wanted], [plain(one) for one in got], "page",
                                                     "printed", lineterm="", n=1)))
            replaced.append((block, lines))
    finally:
        shutil.rmtree(work, ignore_errors=True)
    if options.update:
        for block, lines in reversed(replaced):
            page[block.begin:block.end] = [(block.margin + one).rstrip() for one in lines]
        with open(options.page, "w", encoding="utf-8") as out:
            out.write("\n".join(page))
    if ran == 0:
        sys.exit(f"{options.page}: there is no session in it" + (f" ({options.section})" if options.section else ""))
    print(f"{ran} commands, {failures} printed something else")
    return 1 if failures else 0


sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Would writes.py notice what is missing? Takes each word away with which a row says that something is written, one at
a time, builds a recorder of that table and demands that the recording then contradicts the loads of the program. So do
changes of writes.c.

usage: mutants.py ROOT BUILD [ROW...]

TWINRUN_TEST_ALL=1 tries every row that writes and was made with success, instead of the words of five
that are drawn by TWINRUN_TEST_SEED (1). All must be found.
"""
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import writes  # noqa: E402

ALL = os.environ.get("TWINRUN_TEST_ALL") == "1"
DRAWN = 5
TOOL = "libexec/twinrun/twinrun-amd64-linux"

# What loads cannot contradict.
UNSEEN = {
    "io_uring_setup: OUT(arg[1], 120)": "from here on the kernel writes when it likes, and nothing is compared",
    "clone: OUT(arg[3], 4)": "is in the memory of a new process, of which nothing is known (e2e.who-forked-thread-id)",
}


# What keeps unknown calls and threads apart has no rows: (what, text in writes.c, what it becomes).
CHANGES = [
    ("what an unknown call changed", "if (tw_memory_read(window->address, after, window->size))", "if (0)"),
    ("pointers in the argument of an unknown ioctl", "    remember_around(call, inside);", "    (void)inside;"),
    ("what is kept by thread", "  if (tid >= allocated) {", "  tid = 1;\n  if (tid >= allocated) {"),
]


def end_of(text, start):
    """Behind the bracket that closes the one at `start`."""
    depth = 0
    for i in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0:
            return i + 1
    sys.exit("brackets of the table do not match")


WORDS = r"\b(OUT|LENGTH|VECTOR|MESSAGES?|SENT|POLLED|TIME_LEFT|SETS|SUBMITTED|COMPLETED|FUTEX|OWN_MEMORY)\("


def mutants_of(text, name):
    """(what, table) for each word of a row that says that something is written: the table without it."""
    call, _, command = name.partition(" ")
    head = rf"^COMMAND\({call}, \w+, {command}," if command else rf"^(CALL|AFTER|ALWAYS)\({call}\b"
    start = re.search(head, text, re.M).start()
    end = end_of(text, text.index("(", start))
    for m in re.finditer(WORDS, text[start:end]):
        first = start + m.start()
        last = end_of(text, text.index("(", first))
        yield f"{name}: {' '.join(text[first:last].split())}", text[:first] + text[last:]


class Builder:
    """Compiles writes.c with another table and links the recorder, by the build's own commands."""

    def __init__(self, root, build, work):
        self.root, self.build, self.work = root, build, work
        with open(build + "/compile_commands.json", encoding="utf-8") as f:
            entry = next(e for e in json.load(f) if e["file"].endswith("recorder/writes.c"))
        self.compile, self.source = shlex.split(entry["command"]), entry["file"]
        link = subprocess.run(["ninja", "-C", build, "-t", "commands", "-s", TOOL], stdout=subprocess.PIPE, check=True,
                              text=True).stdout
        self.link = shlex.split(next(part for part in link.split("&&") if "-o " in part and TOOL in part))
        for part in ("recorder", "format"):
            shutil.copytree(f"{root}/{part}", f"{work}/{part}")
        shutil.copytree(build + "/libexec", work + "/libexec")
        os.mkdir(work + "/bin")
        self.twinrun = shutil.copy(build + "/bin/twinrun", work + "/bin/twinrun")

    def make(self, table, right="", wrong=""):
        with open(self.work + "/format/kernel_writes.def", "w", encoding="utf-8") as f:
            f.write(table)
        with open(self.root + "/recorder/writes.c", encoding="utf-8") as f:
            code = f.read()
        if right and code.count(right) != 1:
            sys.exit(f"'{right}' stands {code.count(right)} times in writes.c, not once")
        with open(self.work + "/recorder/writes.c", "w", encoding="utf-8") as f:
            f.write(code.replace(right, wrong) if right else code)
        made = self.work + "/writes.o"
        words = list(self.compile)
        words[words.index("-o") + 1] = made
        words[words.index(self.source)] = self.work + "/recorder/writes.c"
        subprocess.run(words, cwd=self.build, check=True)
        words = [made if w.endswith("/writes.c.o") else w for w in self.link]
        if made not in words:
            sys.exit("the recorder is linked without writes.c")
        words[words.index("-o") + 1] = f"{self.work}/{TOOL}"
        subprocess.run(words, cwd=self.build, check=True)


def main():
    root, build = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    with open(root + "/format/kernel_writes.def", encoding="utf-8") as f:
        table = f.read()
    rows, selectors = writes.rows_of(root + "/format/kernel_writes.def")
    seed = int(os.environ.get("TWINRUN_TEST_SEED", 1))
    print(f"seed {seed}")
    missed = []
    with tempfile.TemporaryDirectory(prefix="twinrun-mutants-") as work:
        builder = Builder(root, build, work)
        program = writes.build(work)
        builder.make(table)
        recorded = writes.Recorded(builder.twinrun, program, work)
        if not recorded.verified["ok"]:
            sys.exit("the recording of the whole table is not right")
        reached, _ = writes.look(recorded, rows, selectors)
        names = [n for n, (_, _, does) in rows.items() if does and reached.get(n)]
        if sys.argv[3:]:
            names = sys.argv[3:]
        elif not ALL:
            names = random.Random(seed).sample(names, DRAWN)
        tries = [(what, mutant, "", "") for n in names for what, mutant in mutants_of(table, n)
                 if what not in UNSEEN]
        if not sys.argv[3:]:
            tries += [(what, table, right, wrong) for what, right, wrong in CHANGES]
        for name, mutant, right, wrong in tries:
            builder.make(mutant, right, wrong)
            recorded = writes.Recorded(builder.twinrun, program, work)
            found = list(recorded.untold())
            print(f"found  {name}: {found[0].split(': a load')[0]}" if found else f"MISSED {name}", flush=True)
            if not found:
                missed.append(name)
    print(f"{len(tries) - len(missed)} of {len(tries)} found")
    sys.exit(1 if missed or not tries else 0)


if __name__ == "__main__":
    main()

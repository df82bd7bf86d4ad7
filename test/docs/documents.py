#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""documents.py SCHEMAS TWINRUN CSVSUM: every document that twinrun prints as JSON is as docs/json says.

Records real programs, asks every verb with --json in each of its ways, and holds what it prints to the schemas. Fails
when a document is not as its schema says, when a field has no description, when a verb with --json was not asked, and
when a schema describes what no document has had.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from json_schema import Schemas, disagreements

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"

# What inputs.c does with a file, of which there is one and another.
WAYS = [("stat", "data"), ("access", "data"), ("read", "data"), ("list", "data"), ("table", "data"), ("sum", "zeros")]

# Fields that no run here can make appear, and why.
EXCUSED = {
}


class Session:
    """A directory with programs and a store of recordings, in which verbs are asked."""

    def __init__(self, schemas, twinrun, directory):
        self.schemas, self.twinrun, self.dir = schemas, twinrun, directory
        self.asked = set()  # verbs that printed JSON
        self.kinds = set()  # schemas of the documents
        self.faults = []
        self.env = {**os.environ, "XDG_DATA_HOME": f"{directory}/data", "XDG_CACHE_HOME": f"{directory}/cache",
                    "LC_ALL": "C.UTF-8", "TERM": "dumb", "TWINRUN_PAGER": ""}

    def sh(self, command):
        subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=self.dir, env=self.env, check=True)

    def run(self, *words, status=(0, 1), where=""):
        done = subprocess.run([self.twinrun, *words], cwd=f"{self.dir}/{where}", env=self.env, stdin=subprocess.DEVNULL,
                              capture_output=True, check=False)
        out, err = (one.decode("utf-8", "surrogateescape") for one in (done.stdout, done.stderr))
        if done.returncode not in status:
            sys.exit(f"twinrun {' '.join(words)}: exit status {done.returncode}\n{out[-2000:]}{err}")
        return out, err

    def record(self, name, *command, where=""):
        self.run("record", "-q", "-o", name, "--", *command, status=range(256), where=where)

    def ask(self, *words, status=(0, 1)):
        """The document that a verb prints, held to its schema."""
        out, _ = self.run(*words, status=status)
        return self.hold(words, json.loads(out))

    def fails(self, *words):
        """The same of a verb that cannot do what it is asked: an error on standard output."""
        return self.ask(*words, status=(2,))

    def lines(self, *words):
        """The same of a verb that prints a document a line."""
        rows = [json.loads(line) for line in self.run(*words)[0].splitlines()]
        file = self.schemas.name_of(rows[0])
        self.note(words, rows[0]["schema"])
        self.report(words, [fault for row in rows
                            for fault in self.schemas.check_as(row, file) + list(disagreements(row))])

    def hold(self, words, document):
        self.note(words, document["schema"])
        self.report(words, self.schemas.check(document) + list(disagreements(document)))
        return document

    def note(self, words, schema):
        self.kinds.add(schema)
        if schema != "twinrun.error.v1":
            self.asked.add(" ".join(words[:2]) if words[0] == "profile" else words[0])

    def report(self, words, faults):
        self.faults += [f"twinrun {' '.join(words)}: {fault}" for fault in faults[:5]]


def chain():
    """A program in which what it is given goes through many lines."""
    lines = "".join(f"  x = x * 3 + {i};\n  if (x % 7 == {i % 7})\n    x += {i};\n" for i in range(30))
    return ("#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n"
            f"  unsigned x = (unsigned)atoi(argv[argc - 1]);\n{lines}  printf(\"%u\\n\", x);\n}}\n")


def record_programs(s, csvsum):
    """Two runs of a C program, of a C++ one, of several processes, and of what ends badly."""
    for file in [*PROGRAMS.iterdir(), *pathlib.Path(csvsum).iterdir()]:
        shutil.copy(file, s.dir)
    pathlib.Path(s.dir, "chain.c").write_text(chain(), encoding="utf-8")
    s.sh("cc -g -O0 -o csvsum csvsum.c; cc -g -O0 -pthread -o many.bin many.c; cc -g -O0 -o blocks blocks.c;"
         "sed 's/sum += 2/sum += 3/; s/^#define KEPT.*//' many.c >many2.c; cc -g -O1 -pthread -o many2.bin many2.c;"
         "g++ -g -O0 -o total total.cc; cc -g -O0 -o inputs inputs.c;"
         "mkdir first second; cc -O0 -pthread -o first/prog many.c; cc -O0 -pthread -o second/prog many2.c;"
         "printf '%010d' 0 >first/data; printf '%030d' 0 >second/data; chmod +x second/data;"
         "head -c 3000 /dev/zero >first/zeros; (printf 1; tail -c +2 first/zeros) >second/zeros;"
         "cc -g -O0 -o chain chain.c; cc -g -O2 -o inputs.fast inputs.c; sed '3{p;s/[0-9]/7/g}' good.csv >long.csv")
    s.run("record", "-q", "--json", "summary.json", "-o", "good", "--", "./csvsum", "good.csv")
    s.hold(("record",), json.loads(pathlib.Path(s.dir, "summary.json").read_text(encoding="utf-8")))
    s.record("bad", "./csvsum", "bad.csv")
    s.record("cpp-good", "./total", "1", "2", "3")
    s.record("cpp-bad", "./total", "1", "2", "x")
    s.record("many", "./many.bin")
    s.record("many-more", "./many.bin", "more")
    s.record("first", "first/prog")
    s.record("second", "second/prog")
    for way, file in WAYS:
        s.record(f"{way}-a", "../inputs", way, file, where="first")
        s.record(f"{way}-b", "../inputs", way, file, where="second")
    s.record("fast-a", "../inputs.fast", "sum", "data", where="first")
    s.record("fast-b", "../inputs.fast", "sum", "data", where="second")
    s.record("chain-a", "./chain", "1")
    s.record("chain-b", "./chain", "2")
    s.record("long", "./csvsum", "long.csv")
    s.record("shell-a", "sh", "-c", "echo b a | tr ' ' '\\n' | sort")
    s.record("shell-b", "sh", "-c", "echo b c | tr ' ' '\\n' | sort")
    s.record("maps", "cat", "/proc/self/maps")  # with a warning: the recorder's are among them
    s.run("record", "-q", "--from", "work", "-o", "late-few", "--", "./many.bin")
    s.run("record", "-q", "--from", "work", "-o", "late", "--", "./many.bin", "more")
    damage(s, "many-more")
    for name in ("ok", "freed", "twice", "beyond", "null", "unset", "reused", "abort"):
        s.record(name, "./blocks", name)
    s.run("record", "-q", "--timeout", "2", "-o", "hang", "--", "./blocks", "hang", status=range(256))


def ask_recordings(s):
    """About one recording, or none."""
    s.ask("help", "--json")
    s.ask("doctor", "--json", status=(0, 1, 2))
    s.ask("ls", "--json")
    for name in ("good", "many-more", "null", "hang", "abort", "shell-a", "late", "maps"):
        s.ask("info", "--json", name)
    for what in ("--functions", "--instructions", "--operations"):
        s.ask("info", what, "--json", "many")
    s.ask("verify", "--json", "many")
    s.ask("info", "--json", "cut")
    s.ask("verify", "--json", "cut")
    s.ask("verify", "--json", "flipped")
    s.ask("pack", "--json", "-o", f"{s.dir}/packed.twin", "many")
    s.ask("info", "--json", f"{s.dir}/packed.twin")
    s.ask("calls", "--json", "--registers", "--all-modules", "--limit", "300", "many")
    s.ask("calls", "--json", "--function", "work", "--stack", "many")
    s.ask("calls", "--json", "--function", "handler", "many")
    s.ask("calls", "--allocations", "--json", "many")
    s.ask("bt", "--json", "null")
    s.ask("bt", "--json", "--at", "handler", "many")
    s.ask("bt", "--json", "cpp-bad")
    s.ask("index", "--json", "--at", "handler", "many")
    s.ask("who", "--json", "--at", "csvsum.c:33", "--what", "h->ncols", "bad")
    s.ask("who", "--json", "--at", "many.c:70", "--what", "line", "many")
    s.ask("who", "--json", "--at", "many.c:70", "--what", "corner.y", "many")
    s.ask("who", "--json", "--at", "work", "--what", "rdi", "many")
    s.ask("slice", "--json", "--at", "csvsum.c:33", "bad")
    s.ask("slice", "--json", "--at", "csvsum.c:36", "--limit", "3000", "bad")
    s.ask("slice", "--json", "--at", "csvsum.c:33", "--what", "h->ncols", "bad")
    for what in ("--blocks", "--functions", "--events", "--ir"):
        s.lines("dump", what, "--json", "many")
    s.lines("dump", "--syscalls", "--data", "--json", "many")
    s.lines("dump", "--json", "--range", "1000..+100", "many")
    step = s.ask("index", "--json", "--at", "work", "many")["moment"]["step"]
    s.lines("dump", "--values", "--json", "--range", f"{step}..+3000", "many")


def ask_paths(s):
    """The parts of `paths`."""
    s.ask("paths", "many", "--in", "work", "--all", "--context", "1", "--json", ":28 :29")
    s.ask("paths", "many", "many-more", "--in", "work", "--json", ":28 :31 :27")
    s.ask("paths", "many", "--in", "leave", "--json", ":43 :42")
    s.ask("paths", "many", "--hot", "--json")
    s.ask("paths", "many", "many-more", "--diff", "--json")
    s.ask("paths", "ok", "hang", "--diff", "--json")
    s.ask("paths", "hang", "ok", "--diff", "--json")
    s.ask("paths", "first", "second", "--diff", "--json")
    s.ask("paths", "ok", "hang", "--in", "drop", "--json", ":16")
    s.ask("paths", "many", "--never", "--json")
    s.ask("paths", "many", "--in", "work", "--blocks", "--json")


def ask_binaries(s):
    """About binaries and their profiles."""
    s.ask("cfg", "--json", "--in", "many", "work")
    s.ask("cfg", "--json", "--in", "many", "main")
    s.ask("cfg", "--json", "--in", "total", "main")
    pairs = s.ask("match", "--json", "--functions", "--blocks", "--data", "--unmatched", "many.bin", "many2.bin")
    s.ask("match", "--json", "--why", "work", "many.bin", "many2.bin")
    s.ask("match", "--json", "--why", hex(pairs["data_pairs"][0]["old"]), "many.bin", "many2.bin")
    s.ask("profile", "convert", "--json", "--binary", "many.bin", "many", "-o", "many.fdata")
    s.ask("profile", "merge", "--json", "--binary", "many.bin", "many", "many-more", "-o", "both.json")
    s.hold(("profile", "merge"), json.loads(pathlib.Path(s.dir, "both.json").read_text(encoding="utf-8")))
    s.ask("profile", "migrate", "--json", "--from", "many.bin", "--to", "many2.bin", "many", "-o", "new.json")
    s.hold(("profile", "migrate"), json.loads(pathlib.Path(s.dir, "new.json").read_text(encoding="utf-8")))
    s.ask("profile", "score", "--json", "--binary", "many.bin", "many.fdata", "many")


def ask_pairs(s):
    """About two recordings."""
    pairs = [("good", "bad"), ("many", "many-more"), ("cpp-good", "cpp-bad"), ("shell-a", "shell-b"), ("many", "many")]
    pairs += [("ok", other) for other in ("freed", "twice", "beyond", "null", "unset", "reused", "hang", "abort")]
    pairs += [("late-few", "late"), ("many", "cut"), ("chain-a", "chain-b")]
    pairs += [(f"{way}-a", f"{way}-b") for way, _ in WAYS]
    for pair in pairs:
        s.ask("why", "--json", *pair)
    for a, b in pairs[:4]:
        s.ask("align", "--regions", "--json", a, b)
        s.ask("diff", "--json", a, b)
        s.ask("report", "--json", a, b)
        s.ask("mem", "--every-divergence", "--symbolic", "--json", a, b)
    s.ask("align", "--json", "good", "long")
    s.ask("mem", "--at", "update", "--json", "fast-a", "fast-b")
    s.ask("align", "--json", "cut", "cut")
    s.hold(("export",), json.loads(s.run("export", "--format", "json", "good", "bad")[0]))
    for finding in ("D1", "D2", "D3", "N0"):
        s.ask("show", "--json", finding, "good", "bad")
    nodes = s.ask("why", "--json", "many", "many-more")["graph"]["nodes"]
    s.ask("show", "--json", next(node["id"] for node in nodes if "more" in node), "many", "many-more")


def ask_for_trouble(s):
    """Errors are documents, too."""
    for words in (["info", "absent"], ["why", "good"], ["calls", "--function", "absent", "good"], ["verify", "absent"],
                  ["match", "absent", "many.bin"], ["who", "--at", "0", "--what", "nonsense", "good"]):
        s.fails(*words, "--json")
    s.fails("why", "--json", "good", "absent.twin")


def damage(s, name):
    """Copies of a recording: without its end, and with a bit that is another one."""
    store = pathlib.Path(s.dir, "data", "twinrun")
    data = bytearray((store / f"{name}.twin").read_bytes())
    (store / "cut.twin").write_bytes(data[:-100])
    data[len(data) // 2] ^= 4
    (store / "flipped.twin").write_bytes(data)


def verbs_with_json(verbs):
    """Names of verbs, and of parts of them, that have --json."""
    for verb in verbs:
        if any("--json" in flag["names"] for flag in verb["flags"]):
            yield verb["name"]
        yield from verbs_with_json(verb.get("parts", []))


def main():
    directory, twinrun, csvsum = sys.argv[1:]
    schemas = Schemas(directory)
    faults = schemas.faults()
    with tempfile.TemporaryDirectory(prefix="twinrun-json.") as work:
        s = Session(schemas, os.path.abspath(twinrun), work)
        record_programs(s, csvsum)
        for ask in (ask_recordings, ask_paths, ask_binaries, ask_pairs, ask_for_trouble):
            ask(s)
        s.ask("rm", "--json", "--dry-run", "good")
        verbs = s.ask("help", "--json")["verbs"]
    faults += s.faults
    faults += [f"'{verb} --json' was not asked" for verb in verbs_with_json(verbs) if verb not in s.asked]
    faults += [f"{name} describes no document that was printed" for name in schemas.documents()
               if f"twinrun.{name.removesuffix('.schema.json')}" not in s.kinds]
    faults += [f"{field}: no document had it" for field in schemas.fields()
               if field not in schemas.seen and field not in EXCUSED]
    faults += [f"{field} is excused, but a document had it" for field in EXCUSED if field in schemas.seen]
    faults += [f"{field} is excused, but there is no such field" for field in EXCUSED if field not in schemas.fields()]
    if faults:
        sys.exit("\n".join(faults))
    print(f"{len(s.kinds)} kinds of documents, {len(schemas.seen)} fields")


if __name__ == "__main__":
    main()

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# clang-tidy-19 with the compile commands of a build directory: tidy.sh BUILD [FILE...]
# Most of the time goes into headers, the same for every file, so it looks at what the build compiles at a time: a batch
# of files takes about as long as one of them. A batch that was clean is not looked at again until its files, what they
# include of this project, its command or the checks change, so that a run can be stopped and continued. With files,
# their batches only.
set -euo pipefail
command -v clang-tidy-19 >/dev/null || exit 77
exec python3 - "$@" <<'EOP'
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

build = pathlib.Path(sys.argv[1])
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def is_ours(path):
    # Tests are left out: GoogleTest's macros take most of the time and all of the noise.
    return path.parts[0] == "src" and path.suffix == ".cc" and not path.name.endswith("_test.cc")


# What is compiled at a time -> its command and its files.
units = {}
for command in json.loads((build / "compile_commands.json").read_bytes()):
    unit = pathlib.Path(os.path.relpath(command["file"]))
    parts = [unit]
    if unit.parent.name == "Unity":
        parts = [pathlib.Path(os.path.relpath(n)) for n in INCLUDE.findall(unit.read_text(encoding="utf-8"))]
    parts = [p for p in parts if is_ours(p)]
    if parts:
        units[unit] = (command["command"], parts)
files = {pathlib.Path(f) for f in sys.argv[2:]} or {p for p in pathlib.Path("src").rglob("*.cc") if is_ours(p)}
missing = files.difference(*(parts for _, parts in units.values()))
if missing:
    sys.exit(f"no compile command in {build} for: {' '.join(sorted(map(str, missing)))}")
units = {u: (command, parts) for u, (command, parts) in units.items() if files.intersection(parts)}
roots = (pathlib.Path("src"), pathlib.Path("."))
version = subprocess.run(["clang-tidy-19", "--version"], check=True, capture_output=True).stdout
clean = build / "tidy-clean"
clean.mkdir(exist_ok=True)
direct = {}


def includes(path):
    if path not in direct:
        names = INCLUDE.findall(path.read_text(encoding="utf-8"))
        found = (next((r / n for r in (*roots, path.parent) if (r / n).exists()), None) for n in names)
        direct[path] = [f for f in found if f is not None]
    return direct[path]


def key(command, parts):
    seen, todo = set(), list(parts)
    while todo:
        path = todo.pop()
        if path not in seen:
            seen.add(path)
            todo += includes(path)
    facts = [version, command.encode(), pathlib.Path(".clang-tidy").read_bytes(), repr(parts).encode()]
    facts += [fact for path in sorted(seen) for fact in (str(path).encode(), path.read_bytes())]
    return hashlib.sha256(b"".join(hashlib.sha256(fact).digest() for fact in facts)).hexdigest()


def look_at(unit):
    stamp = clean / key(*units[unit])
    if stamp.exists():
        return None
    done = subprocess.run(["clang-tidy-19", "-quiet", "-p", str(build), str(unit)], check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True)
    if done.returncode == 0:
        stamp.touch()
        return None
    return done.stdout or f"{unit}: clang-tidy failed with status {done.returncode}\n"


# Whether the analyzer follows paths in the files of a batch hangs on the name of the batch (cmake/twinrun.cmake).
part, unit = clean / "part.cc", clean / f"{next(u.name for u in units if u.parent.name == 'Unity')}"
part.write_text("int planted(int* p) { return p == nullptr ? *p : 0; }\n", encoding="utf-8")
unit.write_text('#include "part.cc"\n', encoding="utf-8")
found = subprocess.run(["clang-tidy-19", "-quiet", "--header-filter=part", "--checks=-*,clang-analyzer-*", str(unit), "--", "-std=c++23"],
                       check=False, capture_output=True, text=True).stdout
if "clang-analyzer-core.NullDereference" not in found:
    sys.exit("clang-tidy does not find a dereferenced null pointer in a batch of files")

bad, said = 0, set()
with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("TWINRUN_JOBS", os.cpu_count()))) as pool:
    for found in pool.map(look_at, units):
        if found is None:
            continue
        bad += 1
        # What is wrong in a header is told by every batch that includes it: once is enough.
        for message in re.split(r"^(?=\S+:\d+:\d+: (?:error|warning): )", found, flags=re.MULTILINE):
            if message not in said:
                said.add(message)
                print(message, end="", flush=True)
print(f"clang-tidy: {bad} of {len(units)} batches with {len(files)} files have findings")
sys.exit(1 if bad else 0)
EOP

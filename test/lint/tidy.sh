#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# clang-tidy-19 with the compile commands of a build directory: tidy.sh BUILD [FILE...]
# A file takes most of a minute. One that was clean is not looked at again until it, what it includes of this project,
# its command or the checks change, so that a run can be stopped and continued.
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
# Tests are left out: GoogleTest's macros take most of the time and all of the noise.
files = sys.argv[2:] or sorted(str(p) for p in pathlib.Path("src").rglob("*.cc") if not p.name.endswith("_test.cc"))
commands = {os.path.relpath(c["file"]): c["command"] for c in json.loads((build / "compile_commands.json").read_bytes())}
roots = (pathlib.Path("src"), pathlib.Path("."))
version = subprocess.run(["clang-tidy-19", "--version"], check=True, capture_output=True).stdout
clean = build / "tidy-clean"
clean.mkdir(exist_ok=True)
direct = {}


def includes(path):
    if path not in direct:
        names = re.findall(r'^#include "([^"]+)"', path.read_text(encoding="utf-8"), re.MULTILINE)
        found = (next((r / n for r in (*roots, path.parent) if (r / n).exists()), None) for n in names)
        direct[path] = [f for f in found if f is not None]
    return direct[path]


def key(name):
    seen, todo = set(), [pathlib.Path(name)]
    while todo:
        path = todo.pop()
        if path not in seen:
            seen.add(path)
            todo += includes(path)
    parts = [version, commands.get(name, "").encode(), pathlib.Path(".clang-tidy").read_bytes()]
    parts += [part for path in sorted(seen) for part in (str(path).encode(), path.read_bytes())]
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


def look_at(name):
    stamp = clean / key(name)
    if stamp.exists():
        return None
    done = subprocess.run(["clang-tidy-19", "-quiet", "-p", str(build), name], check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True)
    if done.returncode == 0:
        stamp.touch()
        return None
    return done.stdout or f"{name}: clang-tidy failed with status {done.returncode}\n"


missing = [name for name in files if name not in commands]
if missing:
    sys.exit(f"no compile command in {build} for: {' '.join(missing)}")
bad, said = 0, set()
with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("TWINRUN_JOBS", os.cpu_count()))) as pool:
    for found in pool.map(look_at, files):
        if found is None:
            continue
        bad += 1
        # What is wrong in a header is told by every file that includes it: once is enough.
        for message in re.split(r"^(?=\S+:\d+:\d+: (?:error|warning): )", found, flags=re.MULTILINE):
            if message not in said:
                said.add(message)
                print(message, end="", flush=True)
print(f"clang-tidy: {bad} of {len(files)} files have findings")
sys.exit(1 if bad else 0)
EOP

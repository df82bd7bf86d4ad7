#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Recordings of one version of the format open as ever, and give the answers that they gave when they were stored.

usage: check.py VERSION_DIR [--write]

VERSION_DIR has the recordings, each with its binaries inside, and expected.json: for each command line its exit
status and its JSON. --write stores what TWINRUN answers now; a change of answers is then seen in the difference.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

TWINRUN = os.path.abspath(os.environ["TWINRUN"])
ONE = ["info", "info --functions", "verify", "dump --events", "dump --syscalls", "calls"]
ASKED = [f"{question} {name}.twin" for name in ("sum-good", "sum-bad", "threads", "forks") for question in ONE] + [
    "info control-flow.twin", "verify control-flow.twin", "calls control-flow.twin", "dump --events control-flow.twin",
    "who --at sum.c:9 --what total sum-bad.twin", "who --at threads.c:15#last --what found threads.twin",
    "align sum-good.twin sum-bad.twin", "align sum-good.twin sum-good.twin", "align threads.twin threads.twin",
    "why sum-good.twin sum-bad.twin", "why sum-good.twin sum-good.twin", "diff sum-good.twin sum-bad.twin",
]
# Since version 2, of which only these recordings are.
LATE = [f"{question} late-good.twin" for question in ONE] + ["why late-good.twin late-bad.twin", "align late-good.twin late-bad.twin",
                                                             "who --at sum.c:9 --what total late-bad.twin"]


def answer(words, directory, home):
    done = subprocess.run([TWINRUN, *words.split(), "--json"], cwd=directory, capture_output=True, check=False,
                          timeout=300, env={"PATH": "/usr/bin:/bin", "HOME": home, "LC_ALL": "C.UTF-8"})
    text = done.stdout.decode().replace(os.path.realpath(directory), "DIR")
    try:
        found = json.loads(text)
    except ValueError:
        found = (text + done.stderr.decode()).replace(os.path.realpath(directory), "DIR")
    return {"status": done.returncode, "json": found}


def main():
    stored = os.path.abspath(sys.argv[1])
    expected_path = os.path.join(stored, "expected.json")
    # In a copy: what is asked about may leave something beside the recording.
    with tempfile.TemporaryDirectory(prefix="twinrun-traces-") as home:
        directory = os.path.join(home, "traces")
        shutil.copytree(stored, directory)
        there = set(os.listdir(directory))
        asked = [words for words in ASKED + LATE if all(word in there for word in words.split() if word.endswith(".twin"))]
        got = {words: answer(words, directory, home) for words in asked}
    if "--write" in sys.argv[2:]:
        with open(expected_path, "w", encoding="utf-8") as file:
            json.dump(got, file, indent=1, sort_keys=True)
            file.write("\n")
        return 0
    with open(expected_path, encoding="utf-8") as file:
        expected = json.load(file)
    wrong = [words for words in sorted(expected.keys() | got.keys()) if expected.get(words) != got.get(words)]
    for words in wrong:
        print(f"FAIL twinrun {words} --json\n  expected {json.dumps(expected.get(words))[:2000]}\n"
              f"  got      {json.dumps(got.get(words))[:2000]}")
    print(f"{len(got)} answers, {len(wrong)} of them others than stored")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

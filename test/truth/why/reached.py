# SPDX-License-Identifier: MIT
"""What `why` is known to find (reached.json), which cases a sample draws, and what a run has lost of it.

Shares say nothing about a sample of three cases: one that draws hard cases would fall below any floor, and one that
draws easy ones would hide a loss. So each row is compared with what is known of the same case in the same build. One
lost row is told: a recording can differ from the one before. Two at once fail.

reached.json has a line for each case: its builds, with "first lines", "found" or "missed".
"""
import json
import os
import random
import subprocess

import truth

PATH = os.path.join(truth.HERE, "reached.json")
SAMPLED_BUILDS = [build for build in truth.BUILDS if build.startswith("gcc")]
FIXED_SEED = "1"  # without a commit
MOST_LOST = 1


def level(row):
    """The word for a row; one in the first lines of the answer and not in the graph would be missed."""
    if not row["found"]:
        return "missed"
    return "first lines" if row["first"] else "found"


def load(path=PATH):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def updated(known, rows):
    """What is known after these rows; what they do not judge stays as it is."""
    after = {case: dict(builds) for case, builds in known.items()}
    for row in rows:
        after.setdefault(row["case"], {})[row["build"]] = level(row)
    return {case: {build: after[case][build] for build in truth.BUILDS if build in after[case]} for case in sorted(after)}


def store(known, path=PATH):
    lines = [f" {json.dumps(case)}: {json.dumps(builds)}" for case, builds in known.items()]
    with open(path, "w", encoding="utf-8") as file:
        file.write("{\n" + ",\n".join(lines) + "\n}\n")


def seed():
    """TWINRUN_TEST_SEED, else the commit: each has a sample of its own, and the same one wherever it is tested."""
    given = os.environ.get("TWINRUN_TEST_SEED")
    if given:
        return given
    try:
        done = subprocess.run(["git", "-C", truth.HERE, "rev-parse", "HEAD"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=False)
    except FileNotFoundError:
        return FIXED_SEED
    return done.stdout.decode().strip() if done.returncode == 0 else FIXED_SEED


def draw(cases, known, builds, count, by):
    """So many cases that have something to lose in one of the builds, in the order of their names; any where nothing is
    known."""
    every = sorted(cases, key=lambda case: case.name)
    able = [case for case in every
            if any(known.get(case.name, {}).get(build, "missed") != "missed" for build in builds)] or every
    return sorted(random.Random(by).sample(able, min(count, len(able))), key=lambda case: case.name)


def changes(rows, known):
    """(lost, fallen, gained): texts of the rows that are not found any more, of those that are not in the first lines
    any more, and of those that are better than known."""
    order = ("missed", "found", "first lines")
    lost, fallen, gained = [], [], []
    for row in rows:
        before, now = known.get(row["case"], {}).get(row["build"]), level(row)
        if before is None or before == now:
            continue
        text = f"{row['case']} {row['build']}: {now}, was {before}"
        if order.index(now) > order.index(before):
            gained.append(text)
        else:
            (lost if now == "missed" else fallen).append(text)
    return lost, fallen, gained


def too_much(lost):
    """What is wrong about a sample that has lost these, as texts."""
    if len(lost) <= MOST_LOST:
        return []
    return [f"{len(lost)} rows that were found are not any more, at most {MOST_LOST} may be:"] + [f"  {text}" for text in lost]

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How long the page of `twinrun report` takes to open, for pairs of about 500 million instructions.

Records bzip2, gawk, sqlite3 and lua5.4 on the inputs of record.py, twice, the second time with a small
change of the input, and the pair of the demo (0.1 million instructions), which is the other side of the
ratio. All pages are opened in chromium by turns, each round with a new profile; the time is that from the
start of the navigation until the headline was painted, and until the graph was, which is asked for at once.

usage: page.sh [--rounds N] [--only PROGRAM] [--dir DIR]     DIR keeps recordings and pages
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from record import TWINRUN, tuned_programs
from tables import table
from verbs import EXAMPLE
from why import change

HERE = pathlib.Path(__file__).resolve().parent
# Of the inputs of record.py, so that each run has about 500 million instructions.
SCALES = {"bzip2": 0.29, "gawk": 0.17, "sqlite3": 0.157, "lua5.4": 0.19}
BAR_SECONDS = 2.0
DEMO = "csvsum (demo)"


def commands(work, name):
    """What runs A and B execute; B's input is written when it is asked for."""
    if name == DEMO:
        program = str(work / "csvsum")
        subprocess.run(["cc", "-g", "-O0", "-o", program, str(EXAMPLE / "csvsum.c")], check=True)
        for side in ("good", "bad"):
            yield [program, str(EXAMPLE / f"{side}.csv")]
        return
    command = tuned_programs(str(work), SCALES[name])[name]
    yield command
    change(str(work), name)
    yield command


def make_page(work, name):
    """Records the pair, unless it is there, and makes its page: instructions of a run, seconds, path."""
    work.mkdir(parents=True, exist_ok=True)
    pair = [str(work / f"{side}.twin") for side in "ab"]
    if not all(map(os.path.exists, pair)):
        for path, command in zip(pair, commands(work, name)):
            subprocess.run([TWINRUN, "record", "-q", "--force", "-o", path, "--", *command], cwd=work, check=False,
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    page = work / "page.html"
    start = time.monotonic()
    done = subprocess.run([TWINRUN, "report", "--force", *pair, "-o", str(page)], check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if done.returncode != 1:
        sys.exit(f"report of {name}: status {done.returncode}")
    seconds = time.monotonic() - start
    info = subprocess.run([TWINRUN, "info", "--json", pair[0]], check=True, capture_output=True).stdout
    return json.loads(info)["instructions"], seconds, page


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", choices=SCALES)
    parser.add_argument("--dir", type=pathlib.Path)
    args = parser.parse_args()
    names = [DEMO, *([args.only] if args.only else SCALES)]
    with tempfile.TemporaryDirectory(prefix="twinrun-bench-") as tmp:
        made = {name: make_page((args.dir or pathlib.Path(tmp)).resolve() / name.split()[0], name) for name in names}
        opened = json.loads(subprocess.run(["node", str(HERE / "page.mjs"), str(args.rounds), *(str(m[2]) for m in made.values())],
                                           check=True, stdout=subprocess.PIPE).stdout)
        rows, missed = [], []
        small = opened[str(made[DEMO][2])]
        for name, (instructions, seconds, page) in made.items():
            now = opened[str(page)]
            rows.append([name, f"{instructions / 1e6:.1f}", f"{seconds:.1f}", f"{page.stat().st_size / 1e3:.0f}", str(now["boxes"]),
                         f"{now['headline']:.0f}", f"{now['graph']:.0f}", f"{now['graph'] / small['graph']:.2f}"])
            if now["graph"] > BAR_SECONDS * 1000:
                missed.append(name)
    table("the report page in chromium",
          ["pair", "M instructions a run", "report s", "page kB", "boxes", "headline ms", "graph ms", "graph / demo"], rows)
    print(f"\nbar: headline and graph within {BAR_SECONDS:.0f} s: " + (f"missed by {', '.join(missed)}" if missed else "met"))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the file of paths beside a recording costs, and what questions cost that it answers, on cc1plus.

Records g++'s compiler proper on a small C++ source with the headers of four containers (about 1 000 million
events), with --control-flow-only. Then, each in a process of its own: a walk that follows the calls and keeps
nothing; the whole file; and paths of 1 to 16 blocks that were executed at random moments, half of them with one
block changed, each asked by itself, some of them looked for in the archive, too.

TWINRUN_BENCH_DIR keeps the recording from run to run.

usage: paths_file.sh [--paths N] [--quick]      --quick: without optimization, about 200 million events
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time

from paths import bench
from record import TWINRUN

SOURCE = """#include <algorithm>
#include <map>
#include <string>
#include <vector>
struct Part { int number; std::string name; };
std::map<std::string, std::vector<Part>> parts;
int add(const std::vector<Part>& some) {
  std::vector<Part> sorted(some);
  std::sort(sorted.begin(), sorted.end(), [](const Part& x, const Part& y) { return x.number < y.number; });
  for (auto& part : sorted) parts[part.name].push_back(part);
  return static_cast<int>(parts.size());
}
"""


def record(folder, quick):
    recording = f"{folder}/cc1plus{'-quick' if quick else ''}.twin"
    if os.path.exists(recording):
        return recording
    with open(f"{folder}/part.cc", "w", encoding="utf-8") as f:
        f.write(SOURCE)
    subprocess.run(["g++", "-std=c++17", "-E", "part.cc", "-o", "part.ii"], cwd=folder, check=True)
    compiler = subprocess.run(["g++", "-print-prog-name=cc1plus"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    start = time.monotonic()
    subprocess.run([TWINRUN, "record", "-q", "--control-flow-only", "-o", recording, "--", compiler, "-quiet", "-O0" if quick else "-O2",
                    "-std=c++17", "part.ii", "-o", "part.s"], cwd=folder, check=True)
    print(f"recorded in {time.monotonic() - start:.1f} s, {os.path.getsize(recording) / 1e6:.0f} MB")
    if os.path.exists(recording + ".paths"):
        sys.exit("record made an index that it does not tell of")
    return recording


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--paths", type=int, default=2000)
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="twinrun-bench-") as tmp:
        recording = record(os.path.abspath(os.environ.get("TWINRUN_BENCH_DIR") or tmp), args.quick)
        follow = bench("follow", recording)
        make = bench("make", recording)
        asked = bench("questions", recording, args.paths)
    events = follow["events"]
    print("\n| | CPU s | M events/s of CPU | real s | M events/s | memory, MB |\n|---|---|---|---|---|---|")
    for name, r in (("following calls", follow), ("the whole file", make)):
        print(f"| {name} | {r['cpu']:.1f} | {events / r['cpu'] / 1e6:.1f} | {r['wall']:.1f} | {events / r['wall'] / 1e6:.1f} "
              f"| {r['memory'] / 1e6:.0f} |")
    print(f"\n{events / 1e6:.0f} M events: index {asked['index_bytes'] / 1e6:.1f} MB, archive {asked['archive_bytes'] / 1e6:.1f} MB, "
          f"file {make['bytes'] / 1e6:.1f} MB")
    print(f"{asked['paths']:.0f} paths, {asked['absent']:.0f} of them absent, {asked['open']:.0f} left open by the index: median "
          f"{asked['median'] * 1e3:.2f} ms, p99 {asked['p99'] * 1e3:.2f} ms, most {asked['most'] * 1e3:.0f} ms; "
          f"a scan of the archive {asked['scan'] * 1e3:.0f} ms, {asked['scan'] / asked['median']:.0f} medians, "
          f"{asked['scan'] / asked['p99']:.0f} p99\n")
    bars = [
        ("following calls, M events/s of CPU", events / follow["cpu"] / 1e6, 40, False),
        ("the whole file, M events/s of CPU", events / make["cpu"] / 1e6, 40, False),
        ("memory beside following, MB", (make["memory"] - follow["memory"]) / 1e6, 300, True),
        ("a question, p99, ms", asked["p99"] * 1e3, 5, True),
    ]
    missed = 0
    for name, value, bar, is_most in bars:
        met = value <= bar if is_most else value >= bar
        missed += 0 if met else 1
        print(f"{name:40}{value:10.1f}  bar {bar:g}: {'met' if met else 'MISSED'}")
    sys.exit(0 if missed == 0 or args.quick else 1)


if __name__ == "__main__":
    main()

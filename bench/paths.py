#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Figures 11 to 13 of the paper on path matching, with the archive and the index beside them.

Records gzip, bzip2, gawk, sqlite3, lua5.4 and cc1 with --control-flow-only on inputs that make traces of
100 million events or more, and measures on the longest trace of each: sizes, speed of building and
reading, times of searches under the four schemes and the index, and random paths. Speeds are events per
second of CPU time of one thread, the best of the rounds; SEQUITUR and small archives have one. With --quick traces are a
tenth as long, and the bars are not those.

TWINRUN_BENCH_DIR keeps inputs, recordings, traces and zstd's sizes from run to run; else they are
temporary.

usage: paths.sh [--quick] [--rounds N] [--only PROGRAM]
"""
import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time

from record import ROOT, TWINRUN, tuned_programs

BENCH = os.environ.get("TWINRUN_BENCH_BIN", ROOT + "/build/release/bin") + "/bench_paths"
# Of the inputs of record.py, so that the traces are a little longer than they have to be.
SCALES = {"gzip": 0.65, "bzip2": 0.5, "gawk": 0.14, "sqlite3": 0.12, "lua5.4": 0.19, "cc1": 0.3}
QUICK = 0.1
LEAST_EVENTS = 100e6
FAST, SMALL = 7, 19
PATHS = 20000
TYPES = ("1", "2", "3", "absent")
SCHEMES = ("1", "2", "3-80", "3-40", "3-4", "3-kept", "4", "index")


def bench(*args):
    """What bench_paths prints, as numbers."""
    out = subprocess.run([BENCH, *map(str, args)], check=True, stdout=subprocess.PIPE, text=True).stdout
    return {key: float(value) for key, value in (line.split() for line in out.splitlines())}


def remembered(path, make):
    """The numbers that are in the file, or that are made now."""
    if not os.path.exists(path):
        made = make()
        with open(path, "w", encoding="utf-8") as f:
            json.dump(made, f)
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def make_trace(folder, name, scale):
    os.makedirs(folder, exist_ok=True)
    recording = f"{folder}/recording.twin"
    if not os.path.exists(f"{folder}/shape.json"):
        commands = tuned_programs(folder, scale)
        commands["gzip"] = ["gzip", "-kc", f"{folder}/text"]
        subprocess.run([TWINRUN, "record", "-q", "--control-flow-only", "-o", recording, "--", *commands[name]],
                       cwd=folder, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    return remembered(f"{folder}/shape.json", lambda: bench("extract", recording, f"{folder}/trace"))


def zstd_size(trace):
    zstd = subprocess.Popen(["zstd", "-q", "-c", "-19", "--long=27", "--single-thread", trace], stdout=subprocess.PIPE)
    size = 0
    while part := zstd.stdout.read(1 << 20):
        size += len(part)
    if zstd.wait() != 0:
        sys.exit("zstd failed")
    return {"bytes": size}


def measure_command(recording):
    """What `twinrun paths` takes: CPU seconds for the first question, real ones for the next."""
    paths = f"{recording}.paths"
    if os.path.exists(paths):
        os.remove(paths)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    out = subprocess.run([TWINRUN, "paths", recording, "--hot", "--all-modules", "--limit", "1", "--json"], check=True,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    made = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    hot = json.loads(out)["paths"][0]
    function = f"{hot['module']}!{hot['function']}" if hot["module"] else hot["function"]
    question = [TWINRUN, "paths", recording, "--in", function, " ".join(f"b{b}" for b in hot["blocks"])]
    times = []
    for _ in range(10):
        start = time.monotonic()
        subprocess.run(question, check=True, stdout=subprocess.DEVNULL)
        times.append(time.monotonic() - start)
    return {"made": made, "bytes": os.path.getsize(paths), "question": min(times)}


def measure(folder, name, scale, args):
    r = {"shape": make_trace(folder, name, scale)}
    trace, fast, wpp, index = (f"{folder}/{part}" for part in ("trace", "fast", "wpp", "index"))
    r["zstd"] = remembered(f"{folder}/zstd.json", lambda: zstd_size(trace))
    r["fast"] = bench("archive", trace, FAST, args.rounds, fast)
    r["small"] = bench("archive", trace, SMALL, 1, f"{folder}/small")
    r["grams"] = bench("grams", trace, args.rounds)
    r["both"] = bench("both", trace, FAST, args.rounds)
    r["sequitur"] = bench("sequitur", trace, wpp)
    r["decode"] = bench("decode", trace, fast, args.rounds)
    r["index"] = bench("index", trace, fast, index)
    r["schemes"] = bench("schemes", trace, wpp, fast, index, args.rounds)
    r["ask"] = bench("ask", trace, fast, index, PATHS // 10 if args.quick else PATHS)
    r["command"] = measure_command(f"{folder}/recording.twin")
    r["raw"] = r["shape"]["events"] * 4
    r["scan_speed"] = r["shape"]["events"] / r["schemes"]["absent.1.count"]
    print(f"measured {name}", file=sys.stderr, flush=True)
    with open(f"{folder}/results.json", "w", encoding="utf-8") as f:
        json.dump(r, f, indent=1)
    return r


def mean(values):
    values = list(values)
    return math.exp(sum(math.log(v) for v in values) / len(values))


def table(title, head, rows):
    print(f"\n{title}\n\n| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")


def time_of(seconds):
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"


def show_tables(all_results):
    table("Traces", ["program", "M events", "MB", "levels", "functions", "chunks of 4 MB", "segments", "pieces"],
          [[n, f"{r['shape']['events'] / 1e6:.1f}", f"{r['raw'] / 1e6:.0f}", f"{r['shape']['levels']:.0f}",
            f"{r['shape']['functions']:.0f}", f"{r['schemes']['chunks']:.0f}", f"{r['fast']['segments']:.0f}",
            f"{r['fast']['pieces']:.0f}"] for n, r in all_results.items()])
    table("Sizes; ratios to zstd -19 --long=27",
          ["program", "zstd -19, bytes", "SEQUITUR", "fast", "small", "index / archive", "zstd -3, KB", "80 MB chunks",
           "40 MB", "4 MB", "index of 4 MB chunks, KB", "index of the WPP, KB"],
          [[n, f"{r['zstd']['bytes']:.0f}", *(f"{r[k]['bytes'] / r['zstd']['bytes']:.2f}" for k in ("sequitur", "fast", "small")),
            f"{r['index']['bytes'] / r['fast']['bytes']:.2f}", f"{r['schemes']['whole'] / 1e3:.0f}",
            *(f"{r['schemes'][f'chunked.{m}'] / 1e3:.0f}" for m in (80, 40, 4)),
            f"{r['schemes']['chunk_index.4'] / 1e3:.1f}", f"{r['schemes']['wpp_index'] / 1e3:.1f}"]
           for n, r in all_results.items()])
    table("Speed, M events/s, and memory, MB",
          ["program", "archive", "index", "both", "small", "SEQUITUR", "ratio", "decode", "Scheme 1", "archive MB", "index MB",
           "SEQUITUR MB", "pending KB", "index fitted s", "loaded ms", "memory / trace"],
          [[n, *(f"{r[k]['speed'] / 1e6:.1f}" for k in ("fast", "grams", "both", "small", "sequitur")),
            f"{r['fast']['speed'] / r['sequitur']['speed']:.0f}", f"{r['decode']['speed'] / 1e6:.0f}",
            f"{r['scan_speed'] / 1e6:.0f}", *(f"{r[k]['memory'] / 1e6:.0f}" for k in ("fast", "grams", "sequitur")),
            f"{r['fast']['pending'] / 1e3:.0f}", f"{r['index']['fit']:.2f}", f"{r['index']['load'] * 1e3:.1f}",
            f"{100 * r['index']['memory'] / r['raw']:.1f} %"] for n, r in all_results.items()])
    table("The command, from the recording", ["program", "index made, CPU s", "M events/s", "file, KB", "a question, ms"],
          [[n, f"{c['made']:.1f}", f"{events / c['made'] / 1e6:.1f}", f"{c['bytes'] / 1e3:.0f}", f"{c['question'] * 1e3:.1f}"]
           for n, c, events in ((n, r["command"], r["shape"]["events"]) for n, r in all_results.items())])
    for wanted in ("first", "count"):
        rows = []
        for n, r in all_results.items():
            s = r["schemes"]
            for t in TYPES:
                key = f"{t}.%s.{wanted}"
                rows.append([n, t, f"{s[t + '.occurrences']:.0f}", f"{s[t + '.coverage']:.0f}/{s['chunks']:.0f}",
                             f"{time_of(s['decompress'])} + {time_of(s[key % '1'])}",
                             *(time_of(s[key % scheme]) for scheme in SCHEMES[1:])])
        table(f"Searches, {wanted}; Scheme 3 with chunks of 80, 40, 4 MB, and 4 MB that are kept",
              ["program", "path", "occurrences", "chunks", *SCHEMES], rows)
    rows = []
    for n, r in all_results.items():
        s = r["schemes"]
        for t in TYPES:
            rows.append([n, t, f"{s[f'{t}.2.count.rules']:.0f}", f"{s[f'{t}.4.count.rules']:.0f}",
                         f"{s[f'{t}.4.count.chunks']:.0f}", f"{s[f'{t}.3-4.count.chunks']:.0f}",
                         f"{s[f'{t}.3-4.count.terminals'] / 1e6:.1f}", f"{s[f'{t}.3-kept.count.terminals'] / 1e6:.1f}",
                         f"{s[f'{t}.index.count.chunks']:.0f}"])
    table("What counting takes", ["program", "path", "rules, Scheme 2", "rules, Scheme 4", "chunks, 4", "chunks, 3",
                                  "M events expanded, 3", "kept", "chunks, index"], rows)
    table("Random paths of 1 to 16 blocks",
          ["program", "paths", "absent", "left open", "median", "p99", "worst", "a walk", "a scan", "scan / median",
           "all occurrences, M/s", "of the median path, M/s", "times / trace"],
          [[n, f"{a['paths']:.0f}", f"{a['absent']:.0f}", f"{100 * a['open'] / a['paths']:.2f} %", time_of(a["median"]),
            time_of(a["p99"]), time_of(a["most"]), time_of(a["walk"]) if "walk" in a else "-", time_of(a["scan"]),
            f"{a['scan'] / a['median']:.0f}", f"{a['positions_speed'] / 1e6:.1f}", f"{a['positions_median'] / 1e6:.1f}",
            f"{100 * a['times_memory'] / raw:.1f} %"]
           for n, a, raw in ((n, r["ask"], r["raw"]) for n, r in all_results.items())])


def show_bars(all_results):
    """True when all are met."""
    results = list(all_results.values())
    ratios = {k: [r[k]["bytes"] / r["zstd"]["bytes"] for r in results] for k in ("fast", "small")}
    most, least = max, min
    bars = [
        ("M events of a trace, least", least(r["shape"]["events"] for r in results) / 1e6, LEAST_EVENTS / 1e6, least),
        ("archive / zstd -19, fast, geometric mean", mean(ratios["fast"]), 0.60, most),
        ("archive / zstd -19, fast, worst", most(ratios["fast"]), 0.85, most),
        ("archive / zstd -19, small, geometric mean", mean(ratios["small"]), 0.50, most),
        ("archive / SEQUITUR, worst", most(r["fast"]["bytes"] / r["sequitur"]["bytes"] for r in results), 1.0, most),
        ("archive, M events/s, least", least(r["fast"]["speed"] for r in results) / 1e6, 50, least),
        ("archive / SEQUITUR speed, least", least(r["fast"]["speed"] / r["sequitur"]["speed"] for r in results), 30, least),
        ("SEQUITUR, M events/s, least", least(r["sequitur"]["speed"] for r in results) / 1e6, 1, least),
        ("pending, MB, most", most(r["fast"]["pending"] for r in results) / (1 << 20), 1, most),
        ("decode, M events/s, least", least(r["decode"]["speed"] for r in results) / 1e6, 150, least),
        ("Scheme 1, M events/s, least", least(r["scan_speed"] for r in results) / 1e6, 100, least),
        ("index / archive, worst", most(r["index"]["bytes"] / r["fast"]["bytes"] for r in results), 1.0, most),
        ("index in memory / trace, worst", most(r["index"]["memory"] / r["raw"] for r in results), 0.10, most),
        ("index loaded, ms, most", most(r["index"]["load"] for r in results) * 1e3, 100, most),
        ("a path, us, worst median", most(r["ask"]["median"] for r in results) * 1e6, 10, most),
        ("a path, us, worst p99", most(r["ask"]["p99"] for r in results) * 1e6, 250, most),
        ("the whole command, ms, most", most(r["command"]["question"] for r in results) * 1e3, 50, most),
        ("scan / median, least", least(r["ask"]["scan"] / r["ask"]["median"] for r in results), 10000, least),
        ("all occurrences, M/s, least", least(r["ask"]["positions_speed"] for r in results) / 1e6, 5, least),
    ]
    print()
    missed = 0
    for name, value, bar, worse in bars:
        is_met = value <= bar if worse is most else value >= bar
        missed += 0 if is_met else 1
        print(f"{name:45}{value:12.2f}  bar {bar:g}: {'met' if is_met else 'MISSED'}")
    return missed == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only")
    args = parser.parse_args()
    kept = os.environ.get("TWINRUN_BENCH_DIR")
    with tempfile.TemporaryDirectory(prefix="twinrun-bench-") as tmp:
        results = {}
        for name, scale in SCALES.items():
            if args.only and args.only != name:
                continue
            folder = os.path.abspath(f"{kept or tmp}/{name}{'-quick' if args.quick else ''}")
            results[name] = measure(folder, name, scale * (QUICK if args.quick else 1), args)
        show_tables(results)
        met = show_bars(results)
    sys.exit(0 if met or args.quick else 1)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Profiles carried from one build to the next: twinrun beside llvm-bolt's matching of stale profiles.

For each pair of builds: the exact profile of the old one goes to the new one, once by llvm-bolt
--infer-stale-profile and once by twinrun profile migrate, and both are compared with the exact profile
of the new one. bench/README.md says what is measured. Everything but twinrun's side is made once and
kept in TWINRUN_BENCH_CACHE (build/bench-profile).

usage: profile.sh [run] [--only TEXT] [--no-layout]   everything, with the bars
       profile.sh inputs [--only TEXT]                builds, profiles and BOLT's side only
       profile.sh gains [--only TEXT]                 what each step of the matcher adds
       profile.sh score PAIRDIR NEW.fdata             the score of one profile of the pair's new binary
"""
import argparse
import sys
import tempfile

import profile_bolt as bolt
import profile_layout as layout
import profile_pairs as pairs
from profile_score import METRICS
from tables import table


def show_pairs(chosen, results):
    rows = []
    for pair in chosen:
        alike = f"{pairs.likeness(pair):.3f}"
        for side, r in results[pair.name].items():
            rows.append([pair.title(), alike, side, *(f"{r[m]:.4f}" for m in METRICS), f"{r['cpu']:.2f}", f"{r['MB']:.0f}"])
    table("Profiles of the new build", ["pair", "alike", "side", *METRICS, "CPU s", "MB"], rows)


def show_bars(chosen, results):
    """True when all are met."""
    missed = 0
    print()
    for pair in chosen:
        sides = results[pair.name]
        if "twinrun" not in sides:
            continue
        for metric, bar in pair.bars.items():
            value = sides["twinrun"][metric]
            others = max(r[metric] for side, r in sides.items() if side != "twinrun")
            is_met = value > others if bar is None else value >= bar
            shown = f"more than {others:.4f}" if bar is None else f"{bar:g}"
            missed += 0 if is_met else 1
            print(f"{pair.title() + ' ' + metric:65}{value:8.4f}  bar {shown}: {'met' if is_met else 'MISSED'}")
        if sides["twinrun"]["invalid"]:
            missed += 1
            print(f"{pair.title()}: BOLT rejects {sides['twinrun']['invalid']} functions of twinrun's profile: MISSED")
    return missed == 0


def show_layout_bars(layouts):
    """True when binaries laid out after twinrun's profile are at least as good as after BOLT's own."""
    missed = 0
    for title, numbers in layouts.items():
        for key in ("taken", "I1 misses"):
            is_met = numbers["twinrun"][key] <= numbers["bolt"][key]
            missed += 0 if is_met else 1
            print(f"{title + ' ' + key:65}{numbers['twinrun'][key]:9}  bar {numbers['bolt'][key]}: {'met' if is_met else 'MISSED'}")
    return missed == 0


def gains_kept(numbers, key):
    """What each profile gives of what the fresh one gives, as text."""
    whole = numbers["none"][key] - numbers["fresh"][key]
    return {side: f"{100 * (numbers['none'][key] - n[key]) / whole:.1f}" if whole > 0 else "-" for side, n in numbers.items()}


def show_layouts(layouts):
    rows = []
    for title, numbers in layouts.items():
        kept = {key: gains_kept(numbers, key) for key in ("taken", "I1 misses", "mispredicted")}
        for side, n in numbers.items():
            rows.append([title, side, f"{n['instructions'] / 1e6:.1f}",
                         *(cell for key in kept for cell in (f"{n[key] / 1e6:.3f}", kept[key][side]))])
    table("The new build laid out by BOLT 22 after each profile: millions, and per cent of what the fresh one gains",
          ["pair", "profile", "instructions", "taken branches", "%", "I1 misses", "%", "mispredicted", "%"], rows)


def chosen_pairs(text):
    chosen = [pair for pair in pairs.PAIRS if not text or text in pair.title()]
    if not chosen:
        sys.exit(f"no pair has '{text}' in its title")
    return chosen


def make_inputs(chosen):
    for version in bolt.VERSIONS:
        if not bolt.is_there(version):
            sys.exit(f"{bolt.tool(version)} is not installed (Debian package bolt-{version})")
    results = {}
    for pair in chosen:
        pairs.prepare(pair)
        results[pair.name] = pairs.bolt_sides(pair)
    return results


def do_score(args):
    with tempfile.TemporaryDirectory(prefix="twinrun-bench-") as tmp:
        result = pairs.score_fdata(args.pair, args.fdata, f"{tmp}/new.yaml")
    for key, value in result.items():
        print(f"{key:16}{value:.4f}" if isinstance(value, float) else f"{key:16}{value}")


def do_gains(args):
    chosen = chosen_pairs(args.only)
    make_inputs(chosen)
    rows = []
    for pair in chosen:
        overlaps = pairs.block_overlaps(pair)
        rows.append([pair.title(), *(f"{value:.4f}" for value in overlaps.values())])
    table("Agreement of block counts (blk) with all steps of the matcher, and without some", ["pair", *pairs.WAYS], rows)


def do_inputs(args):
    chosen = chosen_pairs(args.only)
    show_pairs(chosen, make_inputs(chosen))
    if not args.no_layout:
        show_layouts({pair.title(): layout.sides(pair) for pair in chosen if pair.is_laid_out})


def do_run(args):
    chosen = chosen_pairs(args.only)
    results = make_inputs(chosen)
    has_twinrun = pairs.has_migrate()
    if has_twinrun:
        for pair in chosen:
            results[pair.name]["twinrun"] = pairs.twinrun_side(pair)
    show_pairs(chosen, results)
    layouts = {}
    if not args.no_layout:
        layouts = {pair.title(): layout.sides(pair, f"{pair.folder}/twinrun.fdata" if has_twinrun else None)
                   for pair in chosen if pair.is_laid_out}
        show_layouts(layouts)
    if not has_twinrun:
        sys.exit(f"{pairs.TWINRUN} has no command `profile migrate`: only the side of BOLT was measured")
    is_met = show_bars(chosen, results)
    sys.exit(0 if show_layout_bars(layouts) and is_met else 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for name, action in (("run", do_run), ("inputs", do_inputs)):
        command = commands.add_parser(name)
        command.add_argument("--only")
        command.add_argument("--no-layout", action="store_true")
        command.set_defaults(action=action)
    command = commands.add_parser("gains")
    command.add_argument("--only")
    command.set_defaults(action=do_gains)
    command = commands.add_parser("score")
    command.add_argument("pair")
    command.add_argument("fdata")
    command.set_defaults(action=do_score)
    known = {"run", "inputs", "gains", "score", "-h", "--help"}
    arguments = sys.argv[1:]
    args = parser.parse_args(arguments if arguments and arguments[0] in known else ["run", *arguments])
    args.action(args)


if __name__ == "__main__":
    try:
        main()
    except RuntimeError as e:
        sys.exit(str(e))

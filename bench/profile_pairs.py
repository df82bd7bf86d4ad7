# SPDX-License-Identifier: MIT
"""The pairs of builds whose profiles are carried over, and what each side makes of them.

A pair has a folder PROGRAM/pairs/NAME with `old` and `new` (links to the variants) and, for each side
(bolt-19, bolt-22, for removed names also with -all, and twinrun), SIDE.yaml, the profile of the new binary
that the side made of the old profile, and SIDE.json with its score and cost.
"""
import os
import subprocess
import tempfile

import profile_bolt as bolt
import profile_inputs as inputs
from profile_score import function_overlap, score

ROOT = os.path.dirname(inputs.HERE)
TWINRUN = os.path.abspath(os.environ.get("TWINRUN", ROOT + "/build/release/bin/twinrun"))
ROUNDS = 3
ALL = 0.9995  # 1.000, as it is printed


class Pair:
    """Bars are least scores; a bar of None is what the better of both BOLTs scores, which is to be exceeded."""

    def __init__(self, program, old, new, bars=None, is_laid_out=False):
        self.program = program
        self.old = old
        self.new = new
        self.bars = bars or {}
        self.is_laid_out = is_laid_out  # and run, to see what the profile is worth
        self.name = f"{old}--{new}"
        self.folder = f"{inputs.CACHE}/{program}/pairs/{self.name}"

    def is_renamed(self):
        return self.new.endswith("-rn")

    def title(self):
        return f"{self.program} {self.old} -> {self.new}"


def sqlite(old, new, bars=None, **more):
    return Pair("sqlite", old, new, bars, **more)


BETTER = {"blk": None, "br": None, "cov": None}
PAIRS = [
    sqlite("3.46.0-gcc-O2-pie", "3.46.1-gcc-O2-pie", {"blk": ALL, "br": ALL, "cov": 0.999}),
    sqlite("3.46.0-gcc-O2-np", "3.50.4-gcc-O2-np"),
    sqlite("3.46.0-gcc-O2-np", "3.53.4-gcc-O2-np", {"blk": 0.955, "br": 0.982, "cov": 0.950}, is_laid_out=True),
    sqlite("3.46.0-gcc-O2-pie", "3.53.4-gcc-O2-pie"),
    sqlite("3.46.0-gcc-O2-np", "3.53.4-gcc-O2-np-rn", {"blk": 0.90}),
    sqlite("3.50.4-gcc-O2-np", "3.50.4-clang-O2-np", {"blk": 0.60}),
    sqlite("3.50.4-gcc-O1-np", "3.50.4-gcc-O2-np", {"blk": 0.75}),
    sqlite("3.50.4-gcc-O2-np", "3.50.4-gcc-O3-np", {"blk": None}),
    Pair("re2", "1.11.0-gcc-O2-np", "1.17.8-gcc-O2-np", BETTER, is_laid_out=True),
    Pair("re2", "1.11.0-gcc-O2-pie", "1.17.8-gcc-O2-pie", BETTER),
    Pair("re2", "1.11.0-gcc-O2-np", "1.17.8-gcc-O2-np-rn", BETTER),
    Pair("re2", "1.17.8-gcc-O2-np", "1.17.8-clang-O2-np", BETTER),
    Pair("tree-sitter", "0.20.0-gcc-O2-np", "0.25.0-gcc-O2-np", BETTER),
    Pair("tree-sitter", "0.21.1-gcc-O2-np", "0.25.0-gcc-O2-np", BETTER),
    Pair("tree-sitter", "0.21.1-gcc-O2-pie", "0.25.0-gcc-O2-pie", BETTER),
    Pair("tree-sitter", "0.21.1-gcc-O2-np", "0.25.0-gcc-O2-np-rn", BETTER),
    Pair("tree-sitter", "0.25.0-gcc-O2-np", "0.25.0-clang-O2-np", BETTER),
]


def prepare(pair):
    """Makes both variants and the folder of the pair."""
    os.makedirs(pair.folder, exist_ok=True)
    for side in ("old", "new"):
        variant = inputs.ensure(pair.program, getattr(pair, side))
        if not os.path.islink(f"{pair.folder}/{side}"):
            os.symlink(os.path.relpath(variant, pair.folder), f"{pair.folder}/{side}")


def true_yaml(folder, version):
    return f"{folder}/true.yaml" if version == "22" else f"{folder}/true-{version}.yaml"


def bolt_side(pair, version, options=(), suffix=""):
    """BOLT's own matching of the stale profile."""
    result = f"{pair.folder}/bolt-{version}{suffix}.json"
    if not os.path.exists(result):
        out = f"{pair.folder}/bolt-{version}{suffix}.yaml"
        cost = bolt.write_yaml(version, f"{pair.folder}/new/bin", true_yaml(f"{pair.folder}/old", version), out,
                               ["--infer-stale-profile", *options], ROUNDS)
        bolt.save_json(result, {**score(true_yaml(f"{pair.folder}/new", version), out), "cpu": cost.cpu, "MB": cost.memory})
    return bolt.load_json(result)


def bolt_sides(pair):
    """Results of BOLT by name of the side."""
    results = {}
    for version in filter(bolt.is_there, bolt.VERSIONS):
        results[f"bolt-{version}"] = bolt_side(pair, version)
        if pair.is_renamed():
            results[f"bolt-{version}-all"] = bolt_side(pair, version, bolt.OPT_IN, "-all")
    return results


def likeness(pair):
    """How alike the two runs are, by names of functions; removed names are looked up where they still are."""
    named = f"{inputs.CACHE}/{pair.program}/{pair.new.removesuffix('-rn')}"
    return function_overlap(f"{pair.folder}/old/true.yaml", f"{named}/true.yaml")


def score_fdata(folder, fdata, out):
    """Scores a profile of the new binary of the pair in the folder; functions that BOLT rejects have no profile."""
    bolt.write_yaml("22", f"{folder}/new/bin", fdata, out)
    return {**score(f"{folder}/new/true.yaml", out), "invalid": bolt.invalid_functions(f"{out}.log")}


def has_migrate():
    if not os.access(TWINRUN, os.X_OK):
        return False
    return subprocess.run([TWINRUN, "profile", "migrate", "--help"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          check=False).returncode == 0


STEPS = ("data-hash", "name", "hierarchical-name", "hash", "similar-name", "percentage", "likeness", "between",
         "data-position", "block-hash", "switch", "block-likeness", "control-flow", "data-reference")
ADDED = ("likeness", "between", "data-reference", "switch", "block-likeness")
WAYS = {"all": [], "published method": ["--steps", ",".join(step for step in STEPS if step not in ADDED)],
        **{f"without {step}": ["--steps", ",".join(other for other in STEPS if other != step)] for step in ADDED},
        "without inference": ["--no-inference"]}


def block_overlaps(pair):
    """The score of twinrun's profile with all steps, and without some."""
    result = {}
    with tempfile.TemporaryDirectory(prefix="twinrun-bench-") as tmp:
        for way, options in WAYS.items():
            bolt.measure([TWINRUN, "profile", "migrate", "--from", f"{pair.folder}/old/bin", "--to", f"{pair.folder}/new/bin",
                          f"{pair.folder}/old/callgrind.out", "-o", f"{tmp}/new.fdata", "--force", *options], f"{tmp}/log")
            result[way] = score_fdata(pair.folder, f"{tmp}/new.fdata", f"{tmp}/new.yaml")["blk"]
    return result


def twinrun_side(pair):
    """What twinrun makes of the old profile; measured anew each time."""
    fdata = f"{pair.folder}/twinrun.fdata"
    with bolt.Made(fdata) as partial:
        cost = bolt.measure([TWINRUN, "profile", "migrate", "--from", f"{pair.folder}/old/bin", "--to", f"{pair.folder}/new/bin",
                             f"{pair.folder}/old/callgrind.out", "-o", partial, "--output-format", "fdata", "--force"],
                            f"{fdata}.log", ROUNDS)
    result = {**score_fdata(pair.folder, fdata, f"{pair.folder}/twinrun.yaml"), "cpu": cost.cpu, "MB": cost.memory}
    bolt.save_json(f"{pair.folder}/twinrun.json", result)
    return result

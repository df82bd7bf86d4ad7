# SPDX-License-Identifier: MIT
"""What a profile is worth: the new binary laid out by BOLT after each profile, and run in a simulator.

The cache and the branch predictor are callgrind's, with fixed sizes, so that the numbers are the same on
each machine and in each run. Taken branches are jumps that were taken, conditional or not; a jump into
another part of a split function counts, which callgrind writes as a call. Calls and returns do not count:
no layout changes them.
"""
import os

import profile_bolt as bolt
import profile_inputs as inputs
from profile_fdata import JUMP, Code, Counts

VERSION = "22"
OPTIONS = ["-reorder-blocks=ext-tsp", "-reorder-functions=cdsort", "-split-functions", "-split-all-cold", "-icf=1"]
SIMULATED = ["--cache-sim=yes", "--branch-sim=yes", "--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64"]
STRANGE = 1000


def columns(path):
    """The totals of a callgrind.out by name of the event."""
    with open(path, encoding="utf-8", errors="replace") as f:
        events = totals = None
        for line in f:
            if line.startswith("events:"):
                events = line.split()[1:]
            elif line.startswith(("totals:", "summary:")):
                totals = list(map(int, line.split()[1:]))
    return dict(zip(events, totals))


def taken_branches(binary, path):
    """Valgrind takes one range of a file for its code: what BOLT put elsewhere (.text.cold) or left where it
    was (.bolt.org.text) has no object there. Without it a profile would gain by what it misses."""
    code = Code(binary, section=None)
    counts = Counts(binary, path, with_unknown=True)
    # A few instructions of the simulator itself have no place in the binary.
    strange = sum(n for a, n in counts.executed.items() if a not in code.text)
    if strange > STRANGE:
        raise RuntimeError(f"{path}: {strange} instructions are not in {binary}")
    taken = sum(n for (a, b), n in counts.jumps.items() if a != b and not code.text.get(a, "").startswith("rep"))
    jumped = sum(n for (a, _), n in counts.calls.items() if JUMP.match(code.text.get(a, "")))
    conditional = sum(n for a, n in counts.executed.items() if a in code.text and code.is_conditional(a))
    return taken + jumped, conditional


def simulate(binary, out):
    """Numbers of one run of the binary."""
    inputs.run([*inputs.CALLGRIND, *SIMULATED, f"--callgrind-out-file={out}", binary])
    events = columns(out)
    taken, conditional = taken_branches(binary, out)
    return {"instructions": events["Ir"], "I1 misses": events["I1mr"], "taken": taken, "conditional": conditional,
            "mispredicted": events["Bcm"] + events["Bim"]}


def measure(pair, side, profile, options=(), is_kept=True):
    """The numbers of the new binary of the pair after the profile."""
    folder = f"{pair.folder}/layout"
    result = f"{folder}/{side}.json"
    if not is_kept or not os.path.exists(result):
        binary = f"{folder}/{side}.bin"
        data = [f"-data={profile}"] if profile else []
        with bolt.Made(binary) as partial:
            bolt.measure([bolt.tool(VERSION), f"{pair.folder}/new/bin", *data, *options, *OPTIONS, "-o", partial],
                         f"{folder}/{side}.log")
        with bolt.Made(f"{folder}/{side}.callgrind.out") as partial:
            numbers = simulate(binary, partial)
        bolt.save_json(result, numbers)
        print(f"measured {os.path.relpath(result, inputs.CACHE)}", flush=True)
    return bolt.load_json(result)


def sides(pair, twinrun_fdata=None):
    """Numbers by the profile that BOLT had."""
    os.makedirs(f"{pair.folder}/layout", exist_ok=True)
    numbers = {"none": measure(pair, "none", None),
               "bolt": measure(pair, "bolt", f"{pair.folder}/old/true.yaml", ["--infer-stale-profile"])}
    if twinrun_fdata:
        numbers["twinrun"] = measure(pair, "twinrun", twinrun_fdata, is_kept=False)
    numbers["fresh"] = measure(pair, "fresh", f"{pair.folder}/new/true.fdata")
    # A layout turns conditions around but executes as many of them: else something was not counted.
    if max(n["conditional"] for n in numbers.values()) - min(n["conditional"] for n in numbers.values()) > STRANGE:
        raise RuntimeError(f"{pair.folder}/layout: the layouts do not execute the same branches: {numbers}")
    return numbers

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Two runs of Lua whose hash seeds differ, because it takes them from the time: their tables are laid out and
traversed differently, and the runs align around that.

The runs part in the code of strings and tables only, `align --ignore` and `--only-exe` take that out of sight, and a
slice of what the first divergence decides by leads to the system call that told the time.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from naive import aligned_pairs, check_divergences  # noqa: E402
from recording import TWINRUN, Failure, align, record, run  # noqa: E402

SCRIPT = """
local t = {}
for i = 1, 200 do t['key' .. i] = i end
local sum = 0
for _, v in pairs(t) do sum = sum + v end
print(sum)
"""


def check(what, good, seen):
    if not good:
        raise Failure(f"{what}: {seen}")
    print(f"ok   {what}: {seen}", flush=True)


def instructions(path, end, count=24):
    """The last ones in front of a step, with values."""
    rows = run([TWINRUN, "dump", "--instructions", "--values", "--json", "--range", f"{end - count}..{end}", path])
    return [json.loads(line) for line in rows.splitlines()[1:]]


def time_of(path):
    for line in run([TWINRUN, "dump", "--syscalls", "--json", path]).splitlines()[1:]:
        row = json.loads(line)
        if row["name"] == "time":
            return row["result"]
    raise Failure(f"{path}: nobody asked for the time")


def inputs_of(path, position, what):
    """The values from system calls that a value was computed from."""
    said = json.loads(run([TWINRUN, "slice", "--json", "--no-addresses", "--no-control", "--at", position, "--what", what,
                           path]))
    out = set()
    for given in said["inputs"]:
        if given["from"] == "syscall":
            step = int(said["rows"][given["row"]]["position"].split(".")[-1])
            out |= {int(read["value"], 16) for row in instructions(path, step + 1, 1) for read in row["reads"]
                    if read["value"]}
    return out


def different_register(paths, steps):
    """The first register with another value in front of the divergence: position in each run, and its name."""
    for a, b in zip(*(instructions(path, step) for path, step in zip(paths, steps))):
        for x, y in zip(a["reads"], b["reads"]):
            if a["text"] == b["text"] and x["what"] == y["what"] and x["value"] != y["value"] and ":" not in x["what"]:
                return *(f"{row['process']}.{row['thread']}.{row['step']}" for row in (a, b)), x["what"]
    raise Failure("no register differs in front of the divergence")


def behind_hash(path, divergence):
    """Its steps, if it is. The program has no names, but h ^= (h << 5) + (h >> 2) + byte is known by its code."""
    steps = [int(divergence[side].split(".")[-1]) for side in "ab"]
    texts = [row["text"] for row in instructions(path, steps[0])]
    wanted = (("shl", ", 0x5"), ("shr", ", 0x2"), ("xor", ""))
    return steps if all(any(t.startswith(name) and t.endswith(end) for t in texts) for name, end in wanted) else None


def ignoring(paths, tmp, lines):
    with open(tmp + "/ignored", "w", encoding="ascii") as f:
        f.write("# how tables are laid out\n" + "".join(line + "\n" for line in sorted(lines)))
    # Few of them: what the first ones decide by takes time to find.
    done = subprocess.run([TWINRUN, "align", "--json", "--pair-loops=number", "--limit", "2", "--ignore",
                           tmp + "/ignored", *paths], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return json.loads(done.stdout)


def main_test(tmp):
    with open(tmp + "/sum.lua", "w", encoding="ascii") as f:
        f.write(SCRIPT)
    paths = [f"{tmp}/{side}.twin" for side in "ab"]
    outputs = []
    for path in paths:
        outputs.append(record(path, ["lua5.4", "sum.lua"], env={"PATH": os.environ["PATH"]}, cwd=tmp))
        time.sleep(1.1)
    check("both runs compute the same", outputs == [b"20100\n"] * 2, outputs)
    times = [time_of(path) for path in paths]
    check("the time differs", times[0] != times[1], times)

    said = align(*paths)
    for thread in said["threads"]:
        aligned_pairs(thread)
    check_divergences(said)
    check("the runs differ", said["divergence_count"] > 100, said["divergence_count"])
    for side in "ab":
        share = said["aligned"] / (said["aligned"] + said["only_" + side])
        check(f"most of {side} is aligned", share > 0.75, f"{share:.2%}")

    # By function: what one run does by itself behind branches there.
    alone = {}
    for place in said["places"]:
        at = (os.path.basename(place["at"]["module"]), place["at"]["function"])
        alone[at] = alone.get(at, 0) + place["only_a"] + place["only_b"]
    total = sum(alone.values())
    top = sorted(alone, key=alone.get, reverse=True)[:4]
    check("of what is not aligned, four functions decide", sum(alone[at] for at in top) > 0.9 * total,
          [f"{function} {alone[module, function] / total:.1%}" for module, function in top])
    check("they are the program's", {module for module, _ in top} == {"lua5.4"}, {module for module, _ in top})
    first = said["divergences"][0]["at"]
    check("the first one is among them", (os.path.basename(first["module"]), first["function"]) in top, first)
    steps = next((found for d in said["divergences"][:10] if (found := behind_hash(paths[0], d))), None)
    check("one of the first is behind a hash", steps, steps)

    at_a, at_b, register = different_register(paths, steps)
    for path, at, told in zip(paths, (at_a, at_b), times):
        inputs = inputs_of(path, at, register)
        check("what it decides by came from the time", told in inputs, f"{register} at {at}: {sorted(inputs)}")

    rest = ignoring(paths, tmp, {d["ignore"] for d in said["divergences"]})
    check("what is ignored is only counted", (rest["ignored"], rest["divergences"]) == (said["divergence_count"], []),
          rest["ignored"])
    rest = ignoring(paths, tmp, {f"{function}@{module}" for module, function in top})
    shown = {d["at"]["function"] for d in rest["divergences"]}
    left = rest["divergence_count"] - rest["ignored"]
    check("other functions are still shown", 0 < left < said["divergence_count"] / 2 and shown
          and not shown & {function for _, function in top}, left)
    done = subprocess.run([TWINRUN, "align", "--json", "--limit", "0", "--only-exe", *paths], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False)
    modules = {os.path.basename(d["at"]["module"]) for d in json.loads(done.stdout)["divergences"]}
    check("--only-exe shows the program's only", modules == {"lua5.4"}, modules)


def main():
    with tempfile.TemporaryDirectory(prefix="twinrun-seeds-") as tmp:
        try:
            main_test(tmp)
        except Failure as failure:
            sys.exit(f"FAIL {failure}")


if __name__ == "__main__":
    main()

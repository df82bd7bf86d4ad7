# SPDX-License-Identifier: MIT
"""Records the two runs of a case, and says which lines and functions they executed."""
import bisect
import json
import os
import shutil
import signal
import subprocess
import time

import truth

TWINRUN = os.path.abspath(os.environ.get("TWINRUN", os.path.join(truth.HERE, "../../../build/release/bin/twinrun")))
ALL = os.environ.get("TWINRUN_TEST_ALL") == "1"
SYMBOLIZER = "llvm-symbolizer-19"
ANSWER_SECONDS = 600
MOST_INSTRUCTIONS = 20_000_000
TRIES = 20
LAST_SIGNAL = 64


def check_twinrun():
    if not os.access(TWINRUN, os.X_OK):
        raise truth.Failure(f"{TWINRUN} cannot be run; TWINRUN names another one")
    # A shell's background job ignores it, and so would programs that hang, which interrupt() could not end.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def ask(arguments, statuses=(0, 1)):
    """What twinrun prints, as bytes."""
    done = subprocess.run([TWINRUN] + arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                          timeout=ANSWER_SECONDS)
    if done.returncode not in statuses:
        raise truth.Failure(f"twinrun {' '.join(arguments)}: status {done.returncode}: "
                            + done.stderr.decode(errors="replace").strip()[-500:])
    return done.stdout


def twinrun_json(arguments, statuses=(0, 1)):
    return json.loads(ask(arguments, statuses))


def interrupt(child):
    """As Ctrl-C does: the program dies of it, and the recording is finished. One that comes too early is lost."""
    for _ in range(60):
        os.killpg(child.pid, signal.SIGINT)
        try:
            child.wait(1)
            return
        except subprocess.TimeoutExpired:
            pass
    os.killpg(child.pid, signal.SIGKILL)


def record_once(case, side, program, directory, path, seconds):
    args, stdin, environment = truth.prepare_run(case, side, directory)
    command = [TWINRUN, "record", "-q", "--force", "-o", path, "--", program] + args
    environment["HOME"] = os.path.dirname(path)
    seen = truth.behave(program, command, stdin, environment, directory, seconds, interrupt)
    if not os.path.exists(path):
        raise truth.Failure(f"{case.name}: the {side} run left no recording: " + seen.output[-500:].decode(errors="replace"))
    # As a shell tells it; programs that end with 255 were not killed.
    if seen.status is not None and 128 < seen.status <= 128 + LAST_SIGNAL:
        seen.status = 128 - seen.status
    return seen, twinrun_json(["info", "--json", path])["instructions"]


def record_hang(case, program, directory, path, good):
    """Records a run that does not end: well into its loop, but not for long. The time is found by bisection."""
    low, high, seconds = 0.0, None, good[2]
    for _ in range(TRIES):
        seen, instructions = record_once(case, "bad", program, directory, path, seconds)
        if seen.status is not None:
            break
        if instructions < 1.5 * good[1] + 1_000_000:
            low = seconds
        elif instructions > MOST_INSTRUCTIONS:
            high = seconds
        else:
            break
        seconds = (low + high) / 2 if high else 1.3 * seconds
    return seen, instructions


def record(case, build, side, program, directory, path, good):
    """Behaviour, instructions and seconds. good: those of the good run."""
    begin = time.monotonic()
    if side == "bad" and case.fails(build)["how"] == "hang":
        seen, instructions = record_hang(case, program, directory, path, good)
    else:
        seen, instructions = record_once(case, side, program, directory, path, truth.RECORDED_SECONDS)
    return seen, instructions, time.monotonic() - begin


class Recorded:
    """Both runs of a case in one build, recorded and found to behave as the case says."""

    def __init__(self, case, build, packages, cache):
        self.program = truth.build_case(case, packages, build, cache)
        self.unpatched = truth.build_package(case.package, packages[case.package], build, cache)[1]
        self.roots = truth.root_lines(case, packages, cache, build)
        self.directory = os.path.join(cache, "run", case.name)
        self.stored = os.path.join(cache, "recordings", f"{case.name}-{build}")
        shutil.rmtree(self.stored, ignore_errors=True)
        os.makedirs(self.stored)
        self.made = {}  # the files that each run made
        self.paths, self.row = {}, {"case": case.name, "build": build, "kinds": case.kinds, "omission": case.omission}
        good = None
        for side in ("good", "bad"):
            self.paths[side] = os.path.join(self.stored, side + ".twin")
            reference = truth.run_natively(case, side, self.unpatched, self.directory)
            seen, instructions, seconds = record(case, build, side, self.program, self.directory, self.paths[side], good)
            trouble = truth.judge_behaviour(case, build, side, seen, reference)
            if trouble:
                raise truth.Failure(f"recorded, {trouble}")
            good = good or (seen, instructions, seconds)
            self.made[side] = seen.files
            self.row |= {side: str(seen), side + "_instructions": instructions}
        self.executed = Executed(self.paths.values(), self.program)

    def ask_json(self, case, build, without_hint=False):
        """What `why --json` answers, with and without the normalization of addresses; told: the byte that it was told."""
        question = ["why", self.paths["good"], self.paths["bad"], "--json"]
        told = None if without_hint else truth.wrong_byte(case, build, self.program, self.unpatched, self.directory)
        question += ["--wrong", told] if told else []
        begin = time.monotonic()
        answer = twinrun_json(question)
        seconds = round(time.monotonic() - begin, 2)
        return {"answer": answer, "plain": twinrun_json(question + ["--no-normalization"]), "told": told, "seconds": seconds}

    def remove(self):
        shutil.rmtree(self.stored)


class Executed:
    """What the runs executed of the program itself, those lines included that code was inlined from.

    lines: a set of (path below the source tree, line) for each run."""

    def __init__(self, paths, program):
        addresses = []
        for path in paths:
            rows = twinrun_json(["info", "--instructions", "--json", path])["instructions"]
            addresses.append({row["address"] for row in rows if row["module"] == program})
        every = sorted(set.union(*addresses))
        done = subprocess.run([SYMBOLIZER, "--obj=" + program, "--inlines", "--functions=short", "--relativenames",
                               "--output-style=JSON"], input="".join(f"{address:#x}\n" for address in every).encode(),
                              stdout=subprocess.PIPE, check=True)
        places, self.functions = {}, {}
        for address, text in zip(every, done.stdout.decode(errors="replace").splitlines(), strict=True):
            places[address] = set()
            for frame in json.loads(text)["Symbol"]:
                if not frame["Line"] or frame["FileName"].startswith("/"):  # those of the system are absolute
                    continue
                path = os.path.normpath(frame["FileName"])
                places[address].add((path, frame["Line"]))
                self.functions.setdefault(path, {})[frame["StartLine"] or frame["Line"]] = frame["FunctionName"]
        self.lines = [set().union(*(places[address] for address in each)) for each in addresses]

    def function(self, path, line):
        """(file, begin, name) of the executed function that begins last before the line, or None. path: a part will do."""
        for known in sorted(self.functions):
            begins = sorted(self.functions[known])
            before = bisect.bisect_right(begins, line)
            if truth.same_file(known, path) and before:
                begin = begins[before - 1]
                return known, begin, self.functions[known][begin]
        return None

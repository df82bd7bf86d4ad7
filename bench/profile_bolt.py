# SPDX-License-Identifier: MIT
"""llvm-bolt as the other side: true profiles, its own matching of stale ones, and its optimized binaries."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

VERSIONS = ("19", "22")
# All that BOLT can do when names do not help. A distance of names of 100 scores best of those that were tried on
# SQLite (none, 1, 100).
OPT_IN = ["--match-profile-with-function-hash", "--match-with-call-graph",
          "--name-similarity-function-matching-threshold=100", "--stale-matching-min-matched-block=0"]


# A process begins with the peak memory of the one that starts it, so that a small one does it.
STARTER = """
import os, sys
child = os.spawnvp(os.P_NOWAIT, sys.argv[2], sys.argv[2:])
_, status, usage = os.wait4(child, 0)
with open(sys.argv[1], "w") as f:
    f.write(f"{os.waitstatus_to_exitcode(status)} {usage.ru_utime + usage.ru_stime} {usage.ru_maxrss}")
"""


class Cost:
    """What a process took; the least of several runs in each respect."""

    def __init__(self, cpu, memory):
        self.cpu = cpu
        self.memory = memory


def measure(command, log=None, rounds=1, good=(0,), out=None):
    """Runs the command; its CPU seconds and peak memory in MB. Its output goes to `out`, else to the log."""
    command = list(map(str, command))
    best = None
    with tempfile.TemporaryDirectory(prefix="twinrun-bench-") as tmp:
        for _ in range(rounds):
            with open(log or os.devnull, "w", encoding="utf-8") as errors, open(out or os.devnull, "w", encoding="utf-8") as answer:
                subprocess.run([sys.executable, "-I", "-S", "-c", STARTER, f"{tmp}/cost", *command], stdin=subprocess.DEVNULL,
                               stdout=answer if out else errors, stderr=errors, check=True)
            with open(f"{tmp}/cost", encoding="utf-8") as f:
                code, cpu, memory = map(float, f.read().split())
            if code not in good:
                raise RuntimeError(f"{' '.join(command)}: exit {code:.0f}" + (f", see {log}" if log else ""))
            cost = Cost(cpu, memory / 1024)
            best = cost if best is None else Cost(min(best.cpu, cost.cpu), min(best.memory, cost.memory))
    return best


def tool(version):
    return f"llvm-bolt-{version}"


def is_there(version):
    return shutil.which(tool(version)) is not None


class Made:
    """A file that appears under its name only when it is complete."""

    def __init__(self, path):
        self.path = path
        self.partial = f"{path}.partial-{os.getpid()}"

    def __enter__(self):
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        return self.partial

    def __exit__(self, kind, value, trace):
        if kind is None:
            os.replace(self.partial, self.path)
        elif os.path.exists(self.partial):
            os.remove(self.partial)


def save_json(path, value):
    with Made(path) as out, open(out, "w", encoding="utf-8") as f:
        json.dump(value, f, indent=1)
        f.write("\n")


def load_json(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def invalid_functions(log):
    """How many functions of a profile BOLT rejected, as its log says."""
    with open(log, encoding="utf-8", errors="replace") as f:
        text = f.read()
    m = re.search(r"(\d+) \([^)]*\) functions? .*have invalid|(\d+) functions? .*?have invalid", text)
    return int(m[1] or m[2]) if m else 0


def write_yaml(version, binary, profile, out, options=(), rounds=1):
    """The profile of the binary as BOLT understands it; returns what that took. The log stays beside it."""
    with Made(out) as partial:
        cost = measure([tool(version), binary, f"-data={profile}", *options, "-w", partial, "-o", os.devnull],
                       f"{out}.log", rounds)
    return cost

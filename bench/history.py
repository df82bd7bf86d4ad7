#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a kept history of memory saves, and costs.

Records perl and lua5.4, which allocate all the time, twice, with another argument. Then, by turns, CPU seconds (user and
system) of `why` that walks and keeps nothing (rules of the user are not kept, and no program has a function of that name),
that walks and keeps, and that takes what was kept; of `calls --allocations` that walks and that takes it; and of recording
with and without --follow-memory, whose own seconds stand behind the plus. The least of the rounds.

Exit status 1: what takes something kept says another thing; or `why` does not take a tenth less, `calls --allocations` not
a half, or what keeps takes more than 3 % more than what does not.

usage: history.sh [--rounds N] [--only PROGRAM]
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile

from record import TWINRUN
from tables import table

PERL = """my ($x, %h, @out) = shift;
for my $i (1..6000) {
  my $k = 'key' . ($i * 7919 % 4001);
  $h{$k} .= join(',', map { $_ * $i % 17 } 1..8);
  push @out, [$i, $k];
}
my $s = $x;
for my $k (sort keys %h) { my @p = split /,/, $h{$k}; $s += @p + length $h{$k}; }
print "$s\\n";
"""
LUA = """local t, s = {}, tonumber(arg[1])
for i = 1, 20000 do local k = 'key' .. (i * 7919 % 4001); t[k] = (t[k] or '') .. (i % 17) end
for i = 1, 4001 do local v = t['key' .. i]; if v then s = s + #v end end
print(s)
"""
PROGRAMS = {"perl": ("perl", "w.pl", PERL), "lua5.4": ("lua5.4", "w.lua", LUA)}
MOST_WHY, MOST_CALLS, MOST_KEEPING = 0.9, 0.5, 1.03
NOTHING = ["--allocator", "no_function_has_this_name"]


def run(tmp, *command):
    """CPU seconds and output, without the commands that it suggests."""
    # The same order of hashes in both runs.
    env = dict(os.environ, PERL_HASH_SEED="0", LC_ALL="C", XDG_CACHE_HOME=f"{tmp}/cache")
    process = subprocess.Popen(command, cwd=tmp, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL)
    out = process.stdout.read()
    _, status, use = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        sys.exit(f"{' '.join(command)}: status {status}")
    return use.ru_utime + use.ru_stime, out.split(b"next:")[0]


def forget(tmp, *kinds):
    for kind in kinds:
        for path in glob.glob(f"{tmp}/*.twin.{kind}-*"):
            os.unlink(path)


class Least:
    def __init__(self):
        self.seconds, self.said = {}, {}

    def take(self, what, measured, says=None):
        self.seconds[what] = min(measured[0], self.seconds.get(what, float("inf")))
        if says:
            self.said.setdefault(says, set()).add(measured[1])

    def ratio(self, what, to):
        return self.seconds[what] / self.seconds[to]


def record(tmp, command, *flags):
    if os.path.exists(f"{tmp}/s.json"):
        os.unlink(f"{tmp}/s.json")
    run(tmp, TWINRUN, "record", "-q", "--force", "--json", "s.json", *flags, "-o", "r.twin", "--", *command)
    with open(f"{tmp}/s.json", encoding="utf-8") as f:
        said = json.load(f)
    return said["tool_cpu_seconds"] + said["driver_cpu_seconds"], said["memory_cpu_seconds"]


def measure(tmp, interpreter, script, rounds):
    least = Least()
    for side, argument in (("a", "1"), ("b", "2")):
        run(tmp, TWINRUN, "record", "-q", "-o", f"{side}.twin", "--", interpreter, script, argument)
    why = [TWINRUN, "why", "a.twin", "b.twin"]
    calls = [TWINRUN, "calls", "--allocations", "a.twin"]
    for _ in range(rounds):
        forget(tmp, "why", "memory")
        least.take("calls walks", run(tmp, *calls), "calls")
        least.take("why walks", run(tmp, *why, *NOTHING), "why")
        least.take("why keeps", run(tmp, *why), "why")
        forget(tmp, "why")
        least.take("why", run(tmp, *why), "why")
        least.take("calls", run(tmp, *calls), "calls")
        least.take("record", record(tmp, [interpreter, script, "1"]))
        followed = record(tmp, [interpreter, script, "1"], "--follow-memory")
        least.take("record follows", followed)
        least.take("follow", followed[1:])
    return least


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only")
    args = parser.parse_args()
    rows, missed = [], []
    for name, (interpreter, script, text) in PROGRAMS.items():
        if args.only and args.only != name:
            continue
        with tempfile.TemporaryDirectory(prefix="twinrun-bench-") as tmp:
            with open(f"{tmp}/{script}", "w", encoding="utf-8") as f:
                f.write(text)
            least = measure(tmp, interpreter, script, args.rounds)
            sizes = [os.path.getsize(f"{tmp}/a.twin{kept}") / 1e6 for kept in ("", ".memory-1")]
            info = json.loads(run(tmp, TWINRUN, "info", "--json", "a.twin")[1])
        ratios = {"why": (least.ratio("why", "why walks"), MOST_WHY),
                  "keeping": (least.ratio("why keeps", "why walks"), MOST_KEEPING),
                  "calls": (least.ratio("calls", "calls walks"), MOST_CALLS)}
        seconds = {what: f"{value:.2f}" for what, value in least.seconds.items()}
        rows.append([name, f"{info['instructions'] / 1e6:.0f}", seconds["why walks"], seconds["why keeps"], seconds["why"],
                     f"{ratios['why'][0]:.2f}", seconds["calls walks"], seconds["calls"], f"{ratios['calls'][0]:.2f}",
                     seconds["record"], f"{seconds['record follows']} + {seconds['follow']}",
                     f"{sizes[0]:.2f} + {sizes[1]:.2f}"])
        missed += [f"{name}: {what} says something else" for what, said in least.said.items() if len(said) > 1]
        missed += [f"{name}: {what} {got:.2f}" for what, (got, most) in ratios.items() if got > most]
    table("CPU seconds", ["program", "M instructions", "why walks", "walks, keeps", "kept", "ratio", "calls walks", "kept",
                          "ratio", "record", "--follow-memory", "MB"], rows)
    print("\nbars: " + (f"missed: {'; '.join(missed)}" if missed else "met"))
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()

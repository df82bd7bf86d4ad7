#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Cost of recording against `valgrind --tool=none` with the same --vex flags.

Rounds are interleaved (native, none, recorded, control flow only; then again) so that a slow phase
of the machine hits all of them, and the minimum of each counts. CPU is user + system time of the
processes of the tool alone; the driver compresses on another core and is shown beside it. lackey
and callgrind run once, lackey on an input of a tenth, each against none on the same input.

Two sets of programs: those that the recorder was tuned on, and some that it was not.

usage: record.sh [--rounds N] [--set SET] [--only PROGRAM] [--no-others] [--json FILE]
"""
import argparse
import json
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TWINRUN = os.path.abspath(os.environ.get("TWINRUN", ROOT + "/build/release/bin/twinrun"))
VEX = ["--vex-guest-chase=no", "--vex-iropt-unroll-thresh=0",
       "--vex-iropt-register-updates=allregs-at-mem-access"]
VALGRIND = ["valgrind", "--command-line-only=yes", "--vgdb=no", "-q", "--trace-children=yes",
            "--max-threads=4096", "--fair-sched=yes", *VEX]
BARS = {
    "tuned": {"cpu": 2.2, "wall": 2.5, "flow": 1.8, "bits": 1.0, "memory": 300.0},
    "others": {"cpu": 1.5, "both": 2.2, "bits": 0.35, "memory": 300.0},
}
TRUE_BAR = 0.3
LABELS = {
    "cpu": "tool CPU / none",
    "both": "tool and driver CPU / none",
    "wall": "wall / none",
    "flow": "control flow only, CPU / none",
    "bits": "bits per instruction",
    "memory": "recorder memory, MB (driver, and tool above none)",
}


def write_text(tmp, scale):
    rng = random.Random(4)
    words = ["".join(rng.choice("abcdefghijklmnop") for _ in range(rng.randint(2, 9))) for _ in range(3000)]
    with open(f"{tmp}/text", "w", encoding="utf-8") as f:
        for _ in range(int(90000 * scale)):
            f.write(" ".join(rng.choices(words, k=8)) + f" {rng.randint(0, 10**6)}\n")


def part_of_gcc(name):
    return subprocess.run(["gcc", f"-print-prog-name={name}"], capture_output=True, check=True, text=True).stdout.strip()


def tuned_programs(tmp, scale):
    """The five programs and their inputs; about 0.3 to 1 s each natively at scale 1."""
    write_text(tmp, scale)
    with open(f"{tmp}/prog.awk", "w", encoding="utf-8") as f:
        f.write('{ n[$1]++; s += $9 % 17; if ($3 ~ /^a.*[k-p]$/) m++; $2 = toupper($2); l += length($0) }\n'
                'END { for (w in n) c += n[w] * n[w]; print s, m, l, c }\n')
    with open(f"{tmp}/q.sql", "w", encoding="utf-8") as f:
        f.write(f"""create table t(a integer primary key, b integer, c text);
with recursive r(i) as (select 1 union all select i + 1 from r where i < {int(250000 * scale)})
  insert into t select i, i * 7919 % 10007, 'row ' || (i * 31 % 1009) from r;
create index tb on t(b);
select count(*), sum(x.a * y.b % 13) from t x join t y on x.b = y.a where x.a % 3 = 0;
select c, count(*) n, sum(b) from t group by c order by n desc, c limit 5;
select count(*) from t where c like '%77%';
""")
    with open(f"{tmp}/p.lua", "w", encoding="utf-8") as f:
        f.write(f"""local N = {int(2500000 * scale)}
local p, t, s = {{}}, {{}}, 0
for i = 2, N do if not p[i] then s = s + i; for k = i * i, N, i do p[k] = true end end end
for i = 1, N // 10 do t[i % 97 .. ':' .. i % 13] = (t['x'] or 0) + i * 0.5 end
local f = 0.0
for i = 1, N do f = f * 0.999 + i / 3.0 end
local keys = {{}}
for k in pairs(t) do keys[#keys + 1] = k end
table.sort(keys)
print(s, #keys, f)
""")
    with open(f"{tmp}/unit.i", "w", encoding="utf-8") as f:
        f.write("extern int printf(const char *, ...);\n")
        for i in range(int(80 * scale)):
            f.write(f"""struct s{i} {{ int a, b; long v[8]; struct s{i} *next; }};
static long f{i}(struct s{i} *p, int n) {{ long r = {i}; for (int k = 0; k < n; k++) {{ if (p->v[k & 7] > r) r += p->a * k; else r ^= p->b << (k & 15); p = p->next ? p->next : p; }} switch (n % 5) {{ case 0: return r; case 1: return -r; case 2: return r * {i + 3}; default: return r + n; }} }}
long g{i}(int n) {{ struct s{i} x = {{n, {i}, {{1, 2, 3, n}}, 0}}; return f{i}(&x, n) + f{i}(&x, n + 1); }}
""")
    return {
        "bzip2": ["bzip2", "-kc", f"{tmp}/text"],
        "gawk": ["gawk", "-f", f"{tmp}/prog.awk", *[f"{tmp}/text"] * 3],
        "sqlite3": ["sqlite3", "-init", f"{tmp}/q.sql", ":memory:", ""],
        "lua5.4": ["lua5.4", f"{tmp}/p.lua"],
        "cc1": [part_of_gcc("cc1"), "-quiet", "-O1", "-fpreprocessed", f"{tmp}/unit.i", "-o", "/dev/null"],
    }


def other_programs(tmp, scale):
    """Six that no measurement of the recorder was made on while it was written."""
    write_text(tmp, scale)
    with open(f"{tmp}/p.pl", "w", encoding="utf-8") as f:
        f.write('my %n; my $s = 0;\n'
                'while (<>) { for my $w (split) { $n{$w}++; $s += length $w if $w =~ /^[a-f].*[k-p]$/ } }\n'
                'my @k = sort { $n{$b} <=> $n{$a} || $a cmp $b } keys %n;\n'
                'print "$s ", join(",", map { "$_=$n{$_}" } @k[0..9]), "\\n";\n')
    with open(f"{tmp}/p.py", "w", encoding="utf-8") as f:
        f.write("import json, sys\nclass Word:\n    def __init__(self, t): self.t, self.n = t, 0\n"
                "words = {}\nfor line in open(sys.argv[1]):\n    for w in line.split():\n"
                "        words.setdefault(w, Word(w)).n += 1\n"
                "print(len(json.dumps(sorted((w.n, w.t) for w in words.values()))))\n")
    with open(f"{tmp}/rows.json", "w", encoding="utf-8") as f:
        json.dump([{"id": i, "name": f"row {i * 31 % 1009}", "tags": ["a", "b", i % 7], "v": i / 3} for i in range(int(30000 * scale))], f)
    with open(f"{tmp}/unit.cc", "w", encoding="utf-8") as f:
        f.write("#include <map>\n#include <string>\n#include <vector>\n#include <algorithm>\n")
        for i in range(max(1, int(5 * scale))):
            f.write(f"""struct T{i} {{ std::string name; int n; bool operator<(const T{i}& o) const {{ return name < o.name; }} }};
long f{i}(std::vector<T{i}> v) {{ std::map<T{i}, std::vector<int>> m; for (auto& t : v) m[t].push_back(t.n + {i});
std::sort(v.begin(), v.end()); long s = 0; for (auto& [t, l] : m) for (int x : l) s += x * t.n; return s; }}
""")
    subprocess.run(["g++", "-E", "-o", f"{tmp}/unit.ii", f"{tmp}/unit.cc"], check=True)
    return {
        "xz": ["xz", "-1kc", f"{tmp}/text"],
        "perl": ["perl", f"{tmp}/p.pl", f"{tmp}/text"],
        "python3": ["/usr/bin/python3", f"{tmp}/p.py", f"{tmp}/text"],
        "cc1plus": [part_of_gcc("cc1plus"), "-quiet", "-O0", "-fpreprocessed", f"{tmp}/unit.ii", "-o", "/dev/null"],
        "jq": ["jq", "-c", "group_by(.name) | map({k: .[0].name, n: length, s: map(.v) | add}) | sort_by(.s) | .[:5]", f"{tmp}/rows.json"],
        "openssl": ["openssl", "enc", "-aes-256-cbc", "-pbkdf2", "-iter", str(int(400000 * scale)), "-S", "0011223344556677",
                    "-k", "password", "-in", f"{tmp}/text", "-out", "/dev/null"],
    }


SETS = {"tuned": tuned_programs, "others": other_programs}


def measured(command):
    """CPU seconds, wall seconds and peak memory in MB of a command."""
    with open(os.devnull, "r+b") as null:
        start = time.monotonic()
        pid = os.posix_spawnp(command[0], command, os.environ, file_actions=[
            (os.POSIX_SPAWN_DUP2, null.fileno(), 0), (os.POSIX_SPAWN_DUP2, null.fileno(), 1),
            (os.POSIX_SPAWN_DUP2, null.fileno(), 2)])
        _, status, use = os.wait4(pid, 0)
        wall = time.monotonic() - start
    if status != 0:
        sys.exit(f"{' '.join(command)}: status {status}")
    return {"cpu": use.ru_utime + use.ru_stime, "wall": wall, "rss": use.ru_maxrss / 1024}


def recorded(command, tmp, *flags):
    """The same of a recording, from the summary that record writes."""
    trace, summary = f"{tmp}/bench.twin", f"{tmp}/summary.json"
    for p in (trace, summary):
        if os.path.exists(p):
            os.unlink(p)
    start = time.monotonic()
    p = subprocess.run([TWINRUN, "record", "-q", "--json", summary, *flags, "-o", trace, "--", *command],
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False)
    wall = time.monotonic() - start
    if p.returncode != 0:
        sys.exit(f"recording {' '.join(command)}: status {p.returncode}")
    with open(summary, encoding="utf-8") as f:
        s = json.load(f)
    return {"cpu": s["tool_cpu_seconds"], "wall": wall, "driver": s["driver_cpu_seconds"],
            "rss": s["tool_max_rss_kb"] / 1024, "driver_rss": s["driver_max_rss_kb"] / 1024,
            "instructions": s["instructions"], "bytes": os.path.getsize(trace)}


def least(runs):
    return {k: min(r[k] for r in runs) for k in runs[0]}


def mean(values):
    return math.exp(sum(math.log(v) for v in values) / len(values))


def verdict(value, bar):
    return f"{value:.2f} (bar {bar:g}: {'met' if value <= bar else 'MISSED'})"


def others_on(small, whole, none_cpu):
    """How much more lackey and callgrind need than none, as text."""
    base = measured([*VALGRIND, "--tool=none", *small])["cpu"]
    lackey = measured(["bash", "-c", 'exec "$@" >/dev/null 2>&1', "-", "valgrind", "--command-line-only=yes",
                       "--vgdb=no", "--tool=lackey", "--trace-mem=yes", *small])["cpu"]
    call = measured(["valgrind", "--command-line-only=yes", "--vgdb=no", "-q", "--tool=callgrind",
                     "--callgrind-out-file=/dev/null", *whole])["cpu"]
    return [f"{lackey / base:.1f}", f"{call / none_cpu:.2f}"]


def run_set(which, o, tmp):
    """Measures a set of programs and prints its table; its results and the numbers behind them."""
    programs = SETS[which](tmp, 1)
    small = SETS[which](tmp + "/small", 0.1)
    if o.only:
        programs = {name: command for name, command in programs.items() if name == o.only}
    runs = {name: {"native": [], "none": [], "rec": [], "flow": []} for name in programs}
    for i in range(o.rounds):
        for name, command in programs.items():
            r = runs[name]
            r["native"].append(measured(command))
            r["none"].append(measured([*VALGRIND, "--tool=none", *command]))
            r["rec"].append(recorded(command, tmp))
            r["flow"].append(recorded(command, tmp, "--control-flow-only"))
        print(f"{which}: round {i + 1} of {o.rounds}", file=sys.stderr)
    rows, memory = [], 0.0
    ratios = {key: [] for key in ("cpu", "both", "wall", "flow", "flow_wall", "bits", "flow_bits")}
    for name in programs:
        n, v, r, f = (least(runs[name][k]) for k in ("native", "none", "rec", "flow"))
        memory = max(memory, r["driver_rss"] + max(0, r["rss"] - v["rss"]))
        own = {"cpu": r["cpu"] / v["cpu"], "both": (r["cpu"] + r["driver"]) / v["cpu"], "wall": r["wall"] / v["wall"],
               "flow": f["cpu"] / v["cpu"], "flow_wall": f["wall"] / v["wall"],
               "bits": r["bytes"] * 8 / r["instructions"], "flow_bits": f["bytes"] * 8 / f["instructions"]}
        for key, value in own.items():
            ratios[key].append(value)
        rows.append([name, f"{r['instructions'] / 1e6:.0f}", f"{n['cpu']:.2f}", f"{v['cpu']:.2f}", f"{r['cpu']:.2f}",
                     *(f"{value:.2f}" for value in own.values()), f"{r['driver']:.2f}", f"{r['rss']:.0f}+{r['driver_rss']:.0f}",
                     *(["-", "-"] if o.no_others else others_on(small[name], programs[name], v["cpu"]))])
    rows.append(["geometric mean", "", "", "", "", *(f"{mean(values):.2f}" for values in ratios.values()), "", "", "", ""])
    head = ["program", "Minstr", "native s", "none s", "tool s", "CPU x", "with driver x", "wall x", "flow CPU x", "flow wall x",
            "bits/i", "flow bits/i", "driver s", "MB", "lackey x", "callgrind x"]
    widths = [max(len(row[i]) for row in [head] + rows) for i in range(len(head))]
    for row in [head] + rows:
        print("  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))))
    print()
    results = {key: mean(values) for key, values in ratios.items()} | {"memory": memory}
    for key, bar in BARS[which].items():
        print(f"{LABELS[key]:48} {verdict(results[key], bar)}")
    print(flush=True)
    return results, runs


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--rounds", type=int, default=5)
    ap.add_argument("--set", choices=SETS, help="one of the sets instead of both")
    ap.add_argument("--only")
    ap.add_argument("--no-others", action="store_true", help="without lackey and callgrind")
    ap.add_argument("--json", metavar="FILE", help="write all numbers")
    o = ap.parse_args()
    os.environ.pop("VALGRIND_OPTS", None)
    tmp = tempfile.mkdtemp(prefix="twinrun-bench-")
    os.makedirs(tmp + "/small")
    try:
        said, is_met = {}, True
        for which in [o.set] if o.set else SETS:
            if o.only and o.only not in SETS[which](tmp + "/small", 0.1):
                continue
            results, runs = run_set(which, o, tmp)
            said[which] = {"results": results, "bars": BARS[which], "runs": runs}
            is_met = is_met and all(results[key] <= bar for key, bar in BARS[which].items())
        true = least([recorded(["true"], tmp) for _ in range(o.rounds)])
        seconds = true["cpu"] + true["driver"]
        print(f"{'`true`, CPU seconds of tool and driver':48} {verdict(seconds, TRUE_BAR)}")
        if o.json:
            with open(o.json, "w", encoding="utf-8") as out:
                json.dump({"sets": said, "true": seconds}, out, indent=1)
        sys.exit(0 if is_met and seconds <= TRUE_BAR else 1)
    finally:
        shutil.rmtree(tmp, ignore_errors=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Cost of recording against `valgrind --tool=none` with the same --vex flags.

Rounds are interleaved (native, none, recorded, control flow only; then again) so that a slow phase
of the machine hits all of them, and the minimum of each counts. CPU is user + system time of the
processes of the tool alone; the driver compresses on another core and is shown beside it. lackey
and callgrind run once, lackey on an input of a tenth, each against none on the same input.

usage: record.sh [--rounds N] [--only PROGRAM] [--no-others] [--json FILE]
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
BARS = {"cpu": 2.2, "wall": 2.5, "flow": 1.8, "bits": 1.0, "true": 0.3, "memory": 300.0}


def make_inputs(tmp, scale):
    """The five programs and their inputs; about 0.3 to 1 s each natively at scale 1."""
    rng = random.Random(4)
    words = ["".join(rng.choice("abcdefghijklmnop") for _ in range(rng.randint(2, 9))) for _ in range(3000)]
    with open(f"{tmp}/text", "w", encoding="utf-8") as f:
        for _ in range(int(90000 * scale)):
            f.write(" ".join(rng.choices(words, k=8)) + f" {rng.randint(0, 10**6)}\n")
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
    cc1 = subprocess.run(["gcc", "-print-prog-name=cc1"], capture_output=True, check=True, text=True).stdout.strip()
    return {
        "bzip2": ["bzip2", "-kc", f"{tmp}/text"],
        "gawk": ["gawk", "-f", f"{tmp}/prog.awk", *[f"{tmp}/text"] * 3],
        "sqlite3": ["sqlite3", "-init", f"{tmp}/q.sql", ":memory:", ""],
        "lua5.4": ["lua5.4", f"{tmp}/p.lua"],
        "cc1": [cc1, "-quiet", "-O1", "-fpreprocessed", f"{tmp}/unit.i", "-o", "/dev/null"],
    }


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


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--rounds", type=int, default=5)
    ap.add_argument("--only")
    ap.add_argument("--no-others", action="store_true", help="without lackey and callgrind")
    ap.add_argument("--json", metavar="FILE", help="write all numbers")
    o = ap.parse_args()
    os.environ.pop("VALGRIND_OPTS", None)
    tmp = tempfile.mkdtemp(prefix="twinrun-bench-")
    os.makedirs(tmp + "/small")
    try:
        programs = make_inputs(tmp, 1)
        small = make_inputs(tmp + "/small", 0.1)
        if o.only:
            programs = {o.only: programs[o.only]}
        runs = {name: {"native": [], "none": [], "rec": [], "flow": []} for name in programs}
        for i in range(o.rounds):
            for name, command in programs.items():
                r = runs[name]
                r["native"].append(measured(command))
                r["none"].append(measured([*VALGRIND, "--tool=none", *command]))
                r["rec"].append(recorded(command, tmp))
                r["flow"].append(recorded(command, tmp, "--control-flow-only"))
            print(f"round {i + 1} of {o.rounds}", file=sys.stderr)
        rows, ratios = [], {"cpu": [], "wall": [], "flow": [], "flow_wall": [], "bits": [], "flow_bits": []}
        memory = 0.0
        for name in programs:
            n, v, r, f = (least(runs[name][k]) for k in ("native", "none", "rec", "flow"))
            bits, flow_bits = r["bytes"] * 8 / r["instructions"], f["bytes"] * 8 / f["instructions"]
            memory = max(memory, r["driver_rss"] + max(0, r["rss"] - v["rss"]))
            others = ["-", "-"]
            if not o.no_others:
                base = measured([*VALGRIND, "--tool=none", *small[name]])["cpu"]
                lackey = measured(["bash", "-c", 'exec "$@" >/dev/null 2>&1', "-", "valgrind", "--command-line-only=yes",
                                   "--vgdb=no", "--tool=lackey", "--trace-mem=yes", *small[name]])["cpu"]
                call = measured(["valgrind", "--command-line-only=yes", "--vgdb=no", "-q", "--tool=callgrind",
                                 "--callgrind-out-file=/dev/null", *programs[name]])["cpu"]
                others = [f"{lackey / base:.1f}", f"{call / v['cpu']:.2f}"]
            for key, value in (("cpu", r["cpu"] / v["cpu"]), ("wall", r["wall"] / v["wall"]),
                               ("flow", f["cpu"] / v["cpu"]), ("flow_wall", f["wall"] / v["wall"]),
                               ("bits", bits), ("flow_bits", flow_bits)):
                ratios[key].append(value)
            rows.append([name, f"{r['instructions'] / 1e6:.0f}", f"{n['cpu']:.2f}", f"{v['cpu']:.2f}", f"{r['cpu']:.2f}",
                         f"{r['cpu'] / v['cpu']:.2f}", f"{r['wall'] / v['wall']:.2f}", f"{f['cpu'] / v['cpu']:.2f}",
                         f"{f['wall'] / v['wall']:.2f}", f"{bits:.2f}", f"{flow_bits:.2f}", f"{r['driver']:.2f}",
                         f"{r['rss']:.0f}+{r['driver_rss']:.0f}", *others])
        rows.append(["geometric mean", "", "", "", "", *(f"{mean(ratios[k]):.2f}" for k in ("cpu", "wall", "flow", "flow_wall", "bits", "flow_bits")), "", "", "", ""])
        head = ["program", "Minstr", "native s", "none s", "tool s", "CPU x", "wall x", "flow CPU x", "flow wall x", "bits/i",
                "flow bits/i", "driver s", "MB", "lackey x", "callgrind x"]
        widths = [max(len(row[i]) for row in [head] + rows) for i in range(len(head))]
        for row in [head] + rows:
            print("  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))))
        true = least([recorded(["true"], tmp) for _ in range(o.rounds)])
        results = {"cpu": mean(ratios["cpu"]), "wall": mean(ratios["wall"]), "flow": mean(ratios["flow"]),
                   "bits": mean(ratios["bits"]), "true": true["cpu"] + true["driver"], "memory": memory}
        labels = {"cpu": "tool CPU / none", "wall": "wall / none", "flow": "control flow only, CPU / none",
                  "bits": "bits per instruction", "true": "`true`, CPU seconds of tool and driver",
                  "memory": "recorder memory, MB (driver, and tool above none)"}
        print()
        for key, label in labels.items():
            print(f"{label:48} {verdict(results[key], BARS[key])}")
        if o.json:
            with open(o.json, "w", encoding="utf-8") as out:
                json.dump({"results": results, "bars": BARS, "runs": runs}, out, indent=1)
        sys.exit(0 if all(results[k] <= BARS[k] for k in BARS) else 1)
    finally:
        shutil.rmtree(tmp, ignore_errors=True)


if __name__ == "__main__":
    main()

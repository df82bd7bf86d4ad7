#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The control flow of real programs against what an oracle knows.

edges      Programs are recorded, and each executed transfer of control inside a function, in the
           program and in all libraries, is looked up in the graph that decoding alone gives; each
           arrival behind a call, and at a landing pad, too (a call that came back was not noreturn).
           With the executed edges told to it, the graph must have all of them.
functions  Functions that .eh_frame shows in a stripped copy against the symbols of the original.
graphs     Dominators and post-dominators of every function of SQLite and Lua against their
           definition.

usage: cfg.py edges|functions|graphs
"""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TWINRUN = os.path.abspath(os.environ.get("TWINRUN", ROOT + "/build/release/bin/twinrun"))
CFG_TRUTH = os.path.abspath(os.environ.get("CFG_TRUTH", ROOT + "/build/release/test/cfg_truth"))
ALL = os.environ.get("TWINRUN_TEST_ALL", "0") not in ("", "0")

# Shares of executed transfers that the static graphs must explain, in percent. Measured, the
# dynamic linker and the C library included: all returns; all jumps in most programs, 99.93% in the
# worst (one jump of the unwinder). Room is left for another C library, whose hand-written routines
# jump as no compiler would.
FLOOR_JUMPS = 99.5
FLOOR_RETURNS = 99.5
# Functions with an entry in .eh_frame, and cold parts joined with their function without names.
FLOOR_FUNCTIONS = 98.0
FLOOR_COLD = 85.0

SQL = """create table t(a, b);
with recursive c(x) as (select 1 union all select x + 1 from c where x < 200)
insert into t select x, x * x % 17 from c;
create index i on t(b);
select b, count(*), sum(a) from t group by b order by 2 desc limit 3;
select printf('%05.2f %s', avg(a), group_concat(b)) from t where b between 3 and 5;
delete from t where a % 2;"""
LUA = """local t = {} for i = 1, 200 do t[i] = tostring(i) .. ("x"):rep(i % 7) end table.sort(t)
local s = 0 for k, v in ipairs(t) do s = s + #v; if v:find("9x") then s = s + 1 end end
local ok, e = pcall(function() error("boom") end) print(s, ok, string.format("%5.2f|%s", s / 3, e))
local co = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end) print(co(), co())
"""


def run(command, **keywords):
    done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", **keywords)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def facts(*words, env=None):
    out = run([CFG_TRUTH, *words], env=env)
    return {key: int(value) for key, value in (line.split() for line in out.splitlines())}


def builds(tmp, everything):
    """Compiled programs: (name, path)."""
    compilers = {"gcc": ("gcc", "g++"), "clang": ("clang-19", "clang++-19")}
    kinds = {"pie": ["-fPIE", "-pie"], "fixed": ["-fno-pie", "-no-pie"], "static": ["-static"]}
    wanted = [(c, o, k) for c in compilers for o in ("-O0", "-O1", "-O2", "-O3", "-Os") for k in kinds]
    if not everything:
        wanted = [("gcc", "-O0", "pie"), ("gcc", "-O2", "fixed"), ("gcc", "-O3", "pie"), ("clang", "-O0", "fixed"),
                  ("clang", "-O2", "pie"), ("gcc", "-O2", "static")]
    for compiler, level, kind in wanted:
        for source, tool in (("switches.c", 0), ("exceptions.cc", 1)):
            name = f"{source.split('.')[0]}-{compiler}{level}-{kind}"
            run([compilers[compiler][tool], level, *kinds[kind], f"{HERE}/programs/{source}", "-o", f"{tmp}/{name}"])
            yield name, f"{tmp}/{name}"


def percent(part, whole):
    return 100.0 * part / whole if whole else 0.0


def edges(tmp):
    with open(f"{tmp}/text", "w", encoding="utf-8") as f:
        f.write("".join(f"{i * 7919 % 1009} line {i}\n" for i in range(1500)))
    with open(f"{tmp}/script.lua", "w", encoding="utf-8") as f:
        f.write(LUA)
    commands = {"gzip": ["gzip", "-c", f"{tmp}/text"], "lua5.4": ["lua5.4", f"{tmp}/script.lua"],
                "sqlite3": ["sqlite3", ":memory:", SQL]}
    if ALL:
        commands |= {"bash": ["bash", "-c", "for i in a b c; do case $i in b) echo $((1+2));; *) printf '%s\\n' $i;; esac; done"],
                     "gawk": ["gawk", "{ s[$1 % 7] += $3 } END { for (k in s) print k, s[k] }", f"{tmp}/text"],
                     "python3": ["python3", "-S", "-c", "print(sorted({str(i): i for i in range(50)}))"]}
    for name, path in builds(tmp, ALL):
        commands[name] = [path]
    bad = 0
    for name, command in commands.items():
        recording = f"{tmp}/{name}.twin"
        run([TWINRUN, "record", "--control-flow-only", "-o", recording, "--", *command])
        f = facts("edges", recording)
        os.remove(recording)
        jumps = percent(f["jumps_explained"], f["jumps"])
        returns = percent(f["returns_explained"], f["returns"])
        print(f"{name}: {f['jumps']} jumps {jumps:.3f}%, {f['returns']} returns {returns:.3f}%, "
              f"told {f['told_explained']} of {f['told']}, {f['contradicted']} contradicted")
        if (f["jumps"] < 100 or f["returns"] < 20 or jumps < FLOOR_JUMPS or returns < FLOOR_RETURNS or
                f["told_explained"] != f["told"] or f["contradicted"] != 0):
            print("  FAILED")
            bad += 1
    return bad


def functions(tmp):
    bad = 0
    # The C++ programs have hot and cold parts; statically linked, they bring the C library along.
    for name, path in [*builds(tmp, ALL), ("twinrun", TWINRUN)]:
        stripped = f"{tmp}/stripped"
        run(["strip", "-o", stripped, path])
        f = facts("functions", path, stripped)
        found = percent(f["found"], f["functions"])
        print(f"{name}: {f['found']} of {f['functions']} functions {found:.2f}%, {f['same_size']} of the same size, "
              f"{f['extra']} extra, {f['cold_linked']} of {f['cold']} cold parts joined, {f['wrong']} wrongly")
        # A program of a few functions has mostly start files, which have no frames.
        floor = FLOOR_FUNCTIONS if f["functions"] > 100 else 40.0
        if found < floor or f["wrong"] > 0 or f["extra"] > 0 or (f["cold"] > 20 and percent(f["cold_linked"], f["cold"]) < FLOOR_COLD):
            print("  FAILED")
            bad += 1
    return bad


def graphs(_):
    bad = 0
    for path in ("/usr/lib/x86_64-linux-gnu/libsqlite3.so.0", shutil.which("lua5.4")):
        f = facts("graphs", path)
        print(f"{path}: {f}")
        if f["wrong"] or f["lost"] or f["skipped"] or f["functions"] < 500 or f["largest"] < 300:
            print("  FAILED")
            bad += 1
    return bad


def main():
    what = {"edges": edges, "functions": functions, "graphs": graphs}[sys.argv[1]]
    missing = [tool for tool in ("gcc", "g++", "clang++-19", "gzip", "lua5.4", "sqlite3", "strip") if not shutil.which(tool)]
    if missing:
        sys.exit(f"not installed: {', '.join(missing)}; ./dev deps installs it")
    with tempfile.TemporaryDirectory(prefix="twinrun-cfg.") as tmp:
        sys.exit(1 if what(tmp) else 0)


if __name__ == "__main__":
    main()

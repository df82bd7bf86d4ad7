#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Records real programs with the registers of every N-th block and demands that all of them are computed again.

usage: registers.py RECIPES

`verify` compares each recorded register state, next block and load with the computation; none may contradict
it. Of the executed integer, flag and vector integer operations of each program at least 99 % of each kind must be
computed instead of logged. RECIPES is the directory of test/torture's programs, of which some are built here.

TWINRUN_TEST_ALL=1 runs all programs, of which at least 25 must be installed, instead of eight that are drawn
by TWINRUN_TEST_SEED (1). TWINRUN_TEST_ONLY names the programs to run, with commas between them.
"""
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

TWINRUN = os.environ["TWINRUN"]
ALL = os.environ.get("TWINRUN_TEST_ALL") == "1"
DRAWN = 8
FEWEST = 25  # programs of a full run
FLOOR = 99.0  # percent of the operations of these kinds
KINDS = ["integer", "flags", "vector integer"]

# name: (a state every N blocks, command). N is 1 up to some 300 000 blocks, else a prime, so that loops do not
# hide blocks from it.
PROGRAMS = {
    "gzip": (1, ["gzip", "-kc", "input"]),
    "bzip2": (1, ["bzip2", "-kc", "input"]),
    "xz": (7, ["xz", "-0", "-kc", "input"]),
    "xz -T2": (7, ["xz", "-0", "-T2", "--block-size=16KiB", "-kc", "input"]),
    "zstd": (1, ["zstd", "-3", "-c", "input"]),
    "gawk": (1, ["gawk", "{ n[substr($0, 1, 2)]++ } END { for (k in n) s += n[k] * sqrt(n[k]); print s }", "text"]),
    "make": (1, ["make", "-n", "-f", "makefile", "all"]),
    "sqlite3": (7, ["sqlite3", ":memory:", "create table t(a, b); insert into t values (1, 2.5), (3, 'x'); "
                    "create index i on t(b); select sum(a), max(b), group_concat(b) from t"]),
    "lua5.4": (1, ["lua5.4", "-e", "local t = {} for i = 1, 300 do t[i] = (i * 7919 % 1009) / 3 end "
                   "table.sort(t) print(t[1], #t, string.format('%q', t[7]))"]),
    "luajit": (3, ["luajit", "-Ohotloop=5", "-e", "local s = 0 for i = 1, 20000 do s = (s * 31 + i) % 65537 end "
                   "print(s)"]),
    "python3": (23, ["python3", "-S", "-c", "print(sum(i * i for i in range(300)), 'a,b'.split(','), 2**200 % 97)"]),
    "perl": (1, ["perl", "-e", "my %h; $h{$_ % 7} .= chr(65 + $_ % 26) for 1..50; print join(',', sort values %h)"]),
    "ruby": (97, ["ruby", "--disable=gems", "-e", "puts (1..40).map { |i| i * i % 7 }.tally.sort.inspect"]),
    "git": (1, ["git", "hash-object", "input"]),
    "cc1": (97, ["{cc1}", "-quiet", "-O2", "code.c", "-o", "code.s"]),
    "openssl": (23, ["openssl", "dgst", "-sha256", "input"]),
    "openssl aes": (23, ["openssl", "enc", "-aes-128-cbc", "-K", "00112233445566778899aabbccddeeff", "-iv",
                         "00112233445566778899aabbccddeeff", "-in", "text"]),
    "sort": (1, ["sort", "-k2", "text"]),
    "grep": (1, ["grep", "-cE", "a[b-f]+[0-9]", "text"]),
    "sed": (1, ["sed", "-nE", "s/([a-c]+)([0-9])/\\2\\1/gp", "text"]),
    "tar": (1, ["tar", "-cf", "/dev/null", "--sort=name", "tree"]),
    "diff": (1, ["diff", "text", "other"]),
    "bash": (1, ["bash", "-c", "n=0; for i in 1 2 3; do echo $((i * 7 % 5)) | tr 12 ab; n=$((n + i)); done; echo $n"]),
    "bash traps": (1, ["bash", "-c", "trap 'echo usr1' USR1; kill -USR1 $$; sleep 0 & wait; trap - USR1"]),
    "objdump": (3, ["objdump", "-d", "code.o"]),
    "ripgrep (Rust)": (3, ["rg", "-j2", "-c", "a[b-f]+[0-9]", "text", "other"]),
    "restic (Go)": (97, ["restic", "version"]),
    "jq": (97, ["jq", "-c", "[.[] | .a * 2] | add", "data.json"]),
    "bc": (1, ["bc", "-q", "sum.bc"]),
    "find": (1, ["find", "tree", "-name", "*1*", "-newer", "text"]),
    "C++ exceptions": (1, "flow-exceptions.cc"),
    "coroutines": (1, "flow-coroutines.cc"),
    "code made at run time": (1, "memory-jit.c"),
    "x87": (1, "float-x87.c"),
    "floating point": (1, "float.c"),
    "AVX2": (1, "vector-avx2.c"),
    "nested signals": (1, "signal-nested.c"),
    "faults and longjmp": (1, "signal-segv-longjmp.c"),
    "threads": (1, "threads-8.c"),
    "threads and signals": (7, "threads-signals.c"),
}


def make_inputs(rng, tmp):
    with open(tmp + "/input", "wb") as f:
        f.write(bytes(rng.choice(b"abcdefgh \n") for _ in range(3000)))
    for name in ["text", "other"]:
        with open(f"{tmp}/{name}", "w", encoding="ascii") as f:
            for _ in range(40):
                f.write("".join(rng.choice("abcdef0123 ") for _ in range(30)) + "\n")
    with open(tmp + "/makefile", "w", encoding="ascii") as f:
        f.write("all: a b\na b:\n\techo $@ $(words x y) $(patsubst %,%.o,$@)\n")
    with open(tmp + "/data.json", "w", encoding="ascii") as f:
        json.dump([{"a": rng.randrange(1000) / 8, "b": "x" * i} for i in range(12)], f)
    with open(tmp + "/sum.bc", "w", encoding="ascii") as f:
        f.write("scale = 20\ns = 0\nfor (i = 1; i < 20; i++) s += 1 / i\ns\n2 ^ 100 % 97\nquit\n")
    with open(tmp + "/code.c", "w", encoding="ascii") as f:
        f.write("double f(double x, int n) { double s = 0; for (int i = 0; i < n; i++) s += x / (i + 1);\n"
                "  return s > 3 ? s : n % 7; }\n")
    subprocess.run(["gcc", "-O2", "-c", "code.c"], cwd=tmp, check=True)
    os.makedirs(tmp + "/tree/sub")
    for i in range(12):
        with open(f"{tmp}/tree/{'sub/' if i % 3 else ''}f{i}", "w", encoding="ascii") as f:
            f.write(str(i) * 50)


def build(recipe, recipes, tmp):
    """The program of a recipe, built by the flags that it names."""
    path = f"{recipes}/{recipe}"
    with open(path, encoding="utf-8") as f:
        found = re.search(r"torture: flags=(.*?)(?: \*/)?$", f.read(), re.M)
    flags = found.group(1).split() if found else ["-O1"]
    compiler = "g++" if recipe.endswith(".cc") else "gcc"
    if recipe.endswith(".cc"):
        flags.append("-std=c++20")
    out = f"{tmp}/{os.path.splitext(recipe)[0]}"
    subprocess.run([compiler, "-w", *flags, "-o", out, path, "-pthread", "-lm"], check=True)
    return [out]


def command_of(words, recipes, tmp):
    """The command to run; None when it is not installed."""
    if isinstance(words, str):
        return build(words, recipes, tmp)
    if words[0] == "{cc1}":
        cc1 = subprocess.run(["gcc", "-print-prog-name=cc1"], stdout=subprocess.PIPE, check=True).stdout.decode().strip()
        return [cc1] + words[1:] if os.access(cc1, os.X_OK) else None
    return words if shutil.which(words[0]) else None


def ask(*words):
    """What twinrun says in JSON; exit status 1 is an answer too."""
    got = subprocess.run([TWINRUN, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if got.returncode > 1:
        sys.exit(f"twinrun {' '.join(words)}: {got.stderr.decode(errors='replace')}")
    return json.loads(got.stdout)


def check(name, every, command, tmp, totals):
    trace = tmp + "/t.twin"
    subprocess.run([TWINRUN, "record", "-q", "--force", f"--tool-flag=--state-every={every}", "-o", trace, "--"] + command,
                   cwd=tmp, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    verified = ask("verify", "--json", trace)
    operations = ask("info", "--operations", "--json", trace)
    kinds = {k["kind"]: k for k in operations["kinds"]}
    computed = sum(kinds[k]["computed"] for k in KINDS)
    executed = sum(kinds[k]["executed"] for k in KINDS)
    share = 100.0 * computed / executed if executed else 0.0
    for kind in KINDS:
        totals[kind][0] += kinds[kind]["computed"]
        totals[kind][1] += kinds[kind]["executed"]
    totals["states"] += verified["states"]
    totals["blocks"] += verified["regenerated_blocks"]
    problems = []
    if not verified["ok"]:
        problems += [v["text"] for v in verified["violations"][:3]]
    if verified["regenerated_blocks"] == 0 or verified["states"] * every * 2 < verified["regenerated_blocks"]:
        problems.append(f"only {verified['states']} states for {verified['regenerated_blocks']} blocks")
    if executed == 0 or any(kinds[k]["executed"] and kinds[k]["computed_percent"] < FLOOR for k in KINDS):
        worst = [f"{o['operation']} {o['count']}" for o in operations["logged"] if o["kind"] in KINDS][:8]
        problems.append(f"logged: {', '.join(worst)}")
    of_kind = " ".join(f"{kinds[k]['computed_percent']:.3f}" if kinds[k]["executed"] else "-" for k in KINDS)
    print(f"{'FAIL' if problems else 'ok  '} {name}: {verified['states']} states of {verified['regenerated_blocks']} "
          f"blocks compared, {share:.4f} % computed ({of_kind})", flush=True)
    for problem in problems:
        print("     " + problem)
    return not problems


def main():
    recipes = sys.argv[1]
    seed = int(os.environ.get("TWINRUN_TEST_SEED", 1))
    rng = random.Random(seed)
    print(f"seed {seed}; shares of {', '.join(KINDS)}")
    names = list(PROGRAMS) if ALL else rng.sample(sorted(PROGRAMS), DRAWN)
    only = os.environ.get("TWINRUN_TEST_ONLY")
    if only:
        names = only.split(",")
    ran = failed = 0
    missing = []
    totals = {"states": 0, "blocks": 0, **{k: [0, 0] for k in KINDS}}
    with tempfile.TemporaryDirectory(prefix="twinrun-registers-") as tmp:
        make_inputs(rng, tmp)
        for name in names:
            every, words = PROGRAMS[name]
            command = command_of(words, recipes, tmp)
            if command is None:
                missing.append(name)
                continue
            ran += 1
            failed += not check(name, every, command, tmp, totals)
    print(f"{ran} programs, {len(missing)} not installed: {', '.join(missing) or 'none'}")
    for kind in KINDS:
        computed, executed = totals[kind]
        print(f"{kind}: {computed} of {executed} computed, {100.0 * computed / max(1, executed):.4f} %")
    print(f"{totals['states']} register states and {totals['blocks']} blocks compared, {failed} programs failed")
    if ALL and not only and ran < FEWEST:
        print(f"FAIL at least {FEWEST} programs must run")
        failed += 1
    sys.exit(1 if failed or ran == 0 else 0)


if __name__ == "__main__":
    main()

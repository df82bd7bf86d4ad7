#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Records small runs of real programs and hands each recording to a checker.

usage: programs.py [--all|--tiny|--long] CHECKER [ARG...]: every ARG with {} in it becomes the recording, {seed} the seed.
The seed is printed; TWINRUN_TEST_SEED sets it, else the commit does, so that samples go over all programs with time.
TWINRUN_TEST_ALL=1 runs all programs instead of three drawn ones (--all: six) and the two with threads and children.
--tiny takes three of the shortest programs instead, for checkers that remember everything; --long one that runs over
several chunks.
"""
import os
import random
import shutil
import subprocess
import sys
import tempfile

TWINRUN = os.environ["TWINRUN"]
ALL = os.environ.get("TWINRUN_TEST_ALL") == "1"
ALWAYS = {
    "xz -T2": ["xz", "-T2", "--block-size=16KiB", "-kc", "input"],
    "bash children": ["bash", "-c", "for i in 1 2; do echo $i | tr 12 ab; done; kill -USR1 $$ || true; wait"],
}
OTHERS = {
    "gzip": ["gzip", "-kc", "input"],
    "bzip2": ["bzip2", "-kc", "input"],
    "gawk": ["gawk", "{ n[substr($0, 1, 2)]++ } END { for (k in n) s += n[k] * sqrt(n[k]); print s }", "text"],
    "lua5.4": ["lua5.4", "-e", "local t = {} for i = 1, 900 do t[i] = (i * 7919 % 1009) / 3 end "
               "table.sort(t) print(t[1], #t, string.format('%q', t[7]))"],
    "sqlite3": ["sqlite3", ":memory:", "create table t(a, b); insert into t values (1, 2.5), (3, 'x'); "
                "select sum(a), max(b) from t"],
    "perl": ["perl", "-e", "my %h; $h{$_ % 7} .= chr(65 + $_ % 26) for 1..200; print join(',', sort values %h)"],
    "make": ["make", "-n", "-f", "makefile", "all"],
    "openssl": ["openssl", "dgst", "-sha256", "input"],
    "sort": ["sort", "-k2", "text"],
    "python3": ["python3", "-S", "-c", "print(sum(i * i for i in range(300)))"],
    "git": ["git", "hash-object", "input"],
    "grep": ["grep", "-cE", "a[b-f]+[0-9]", "text"],
}

TINY = {
    "true": ["true"],
    "echo": ["echo", "some", "words"],
    "expr": ["expr", "6", "*", "7"],
    "seq": ["seq", "3"],
    "control -O0": ["./control-O0"],
    "control -O2": ["./control-O2"],
}
LONG = {"control -O0": ["./control-O0", "2500"], "control -O2": ["./control-O2", "4000"]}
HERE = os.path.dirname(os.path.abspath(__file__))


def commit_seed():
    done = subprocess.run(["git", "-C", HERE, "rev-parse", "HEAD"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=False)
    return int(done.stdout[:5] or b"1", 16)


def main():
    few = {"--tiny": TINY, "--long": LONG}.get(sys.argv[1])
    drawn = 6 if sys.argv[1] == "--all" else 3
    arguments = sys.argv[2:] if few or sys.argv[1] == "--all" else sys.argv[1:]
    seed = int(os.environ.get("TWINRUN_TEST_SEED", random.randrange(10**6) if ALL else commit_seed()))
    rng = random.Random(seed)
    print(f"seed {seed}")
    if few is TINY and not ALL:
        few = {name: TINY[name] for name in rng.sample(sorted(TINY), 3)}
    names = sorted(OTHERS) if ALL else rng.sample(sorted(OTHERS), drawn)
    failed = 0
    with tempfile.TemporaryDirectory(prefix="twinrun-values-") as tmp:
        with open(tmp + "/input", "wb") as f:
            f.write(bytes(rng.choice(b"abcdefgh \n") for _ in range(6000)))
        with open(tmp + "/text", "w", encoding="ascii") as f:
            for _ in range(60):
                f.write("".join(rng.choice("abcdef0123 ") for _ in range(30)) + "\n")
        with open(tmp + "/makefile", "w", encoding="ascii") as f:
            f.write("all: a b\na b:\n\techo $@ $(words x y)\n")
        for optimize in ("-O0", "-O2") if few else ():
            # Statically, so that little else is executed.
            subprocess.run(["gcc", "-g", "-static", optimize, "-o", f"{tmp}/control{optimize}",
                            HERE + "/programs/control.c"], check=True)
        for name, command in list((few or ALWAYS).items()) + [(n, OTHERS[n]) for n in names if not few]:
            if not command[0].startswith("./") and shutil.which(command[0]) is None:
                print(f"skip {name}: not installed")
                continue
            trace = tmp + "/t.twin"
            subprocess.run([TWINRUN, "record", "-q", "--force", "-o", trace, "--"] + command, cwd=tmp,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            check = subprocess.run([a.replace("{seed}", str(seed)).replace("{}", trace) for a in arguments],
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            said = check.stdout.decode(errors="replace").strip()
            print(f"{'ok  ' if check.returncode == 0 else 'FAIL'} {name}: {said}", flush=True)
            failed += check.returncode != 0
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

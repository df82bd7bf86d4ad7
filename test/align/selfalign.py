#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Two recordings of one command must align completely, instruction for instruction.

usage: selfalign.py [NAME...]

TWINRUN_TEST_ALL=1 takes all programs instead of three drawn by the seed, TWINRUN_TEST_SEED (1). The programs
are given all that they could decide differently by: hash seeds, the time, a directory with nothing new in it.
"""
import os
import random
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
from naive import aligned_pairs  # noqa: E402
from recording import ALL, Failure, align, record  # noqa: E402

PROGRAMS = {
    "gzip": ["gzip", "-kc", "input"],
    "bzip2": ["bzip2", "-kc", "input"],
    "gawk": ["gawk", "{ n[substr($0, 1, 2)]++ } END { for (k in n) s += n[k] * sqrt(n[k]); print s }", "text"],
    "sqlite3": ["sqlite3", ":memory:", "create table t(a, b); insert into t values (1, 2.5), (3, 'x'); "
                "select sum(a), max(b) from t"],
    "lua5.4": ["lua5.4", "-e", "local t = {} for i = 1, 900 do t[i] = (i * 7919 % 1009) / 3 end "
               "table.sort(t) print(t[1], #t, string.format('%q', t[7]))"],
    "make": ["make", "-n", "-f", "makefile", "all"],
    "sort": ["sort", "--parallel=1", "-k2", "text"],
    "grep": ["grep", "-cE", "a[b-f]+[0-9]", "text"],
    "perl": ["perl", "-e", "my %h; $h{$_ % 7} .= chr(65 + $_ % 26) for 1..200; print join(',', sort values %h)"],
    "python3": ["/usr/bin/python3", "-S", "-c", "print(sum(i * i for i in range(300)))"],
    "git": ["git", "hash-object", "input"],
    "openssl": ["openssl", "dgst", "-sha256", "input"],
}
# Draw a seed from the time in seconds, so both recordings must begin in the same one.
BY_TIME = {"lua5.4"}
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "PERL_HASH_SEED": "0", "PYTHONHASHSEED": "0", "LC_ALL": "C", "HOME": "/nowhere"}


def check(name, tmp):
    if name in BY_TIME:
        time.sleep(1 - time.time() % 1)
    with ThreadPoolExecutor() as pool:
        for recorded in [pool.submit(record, f"{tmp}/{side}.twin", PROGRAMS[name],
                                     env=dict(os.environ, **ENVIRONMENT), cwd=tmp + "/given") for side in "ab"]:
            recorded.result()
    said = align(tmp + "/a.twin", tmp + "/b.twin")
    problems = []
    for thread in said["threads"]:
        if thread["a"] == thread["b"] == "1.1":
            aligned_pairs(thread)
    for divergence in said["divergences"]:
        at = divergence["at"]
        problems.append(f"{at['function']} {at.get('file', '')}:{at.get('line', '')} in {at['module']} at "
                        f"{divergence['a']} and {divergence['b']}: {divergence['only_a']} {divergence['only_b']}")
    total = said["aligned"] + said["only_a"]
    share = 100 * said["aligned"] / total if total else 0
    print(f"{'FAIL' if problems else 'ok  '} {name}: {share:.4f}% of {total} instructions aligned", flush=True)
    if not said["divergences"] and said["aligned"] != total:
        problems.append("not completely aligned, but there is no divergence")
    if total < 10000:
        problems.append("hardly anything was recorded")
    for problem in problems[:8]:
        print("  " + problem)
    return not problems


def main():
    seed = int(os.environ.get("TWINRUN_TEST_SEED", 1))
    rng = random.Random(seed)
    names = [name for name in sorted(PROGRAMS) if shutil.which(PROGRAMS[name][0])]
    names = sys.argv[1:] or (names if ALL else rng.sample(names, min(3, len(names))))
    failed = 0
    with tempfile.TemporaryDirectory(prefix="twinrun-self-") as tmp:
        os.mkdir(tmp + "/given")
        with open(tmp + "/given/input", "wb") as f:
            f.write(bytes(rng.choice(b"abcdefgh \n") for _ in range(6000)))
        with open(tmp + "/given/text", "w", encoding="ascii") as f:
            for _ in range(60):
                f.write("".join(rng.choice("abcdef0123 ") for _ in range(30)) + "\n")
        with open(tmp + "/given/makefile", "w", encoding="ascii") as f:
            f.write("all: a b\na b:\n\techo $@ $(words x y)\n")
        for name in names:
            try:
                failed += not check(name, tmp)
            except Failure as failure:
                failed += 1
                print(f"FAIL {name}: {failure}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

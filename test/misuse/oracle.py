#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Small programs with one mistake each (cases.c): what `why` says against Memcheck and AddressSanitizer.

usage: oracle.py [CASE...]

Each case is built without and with optimization. `why` must name the kind of misuse that the table has, as its
headline and nothing else as one, and of a healthy case nothing. Memcheck and AddressSanitizer run the same case; the
table says which of them finds it and, where that is not all three, why, and is held to that as well.

TWINRUN_TEST_ALL=1 takes all cases instead of six. TWINRUN_TEST_SEED (1) chooses them.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TWINRUN = os.environ["TWINRUN"]
ALL = os.environ.get("TWINRUN_TEST_ALL") == "1"
FLAGS = ["-g", "-w", "-fno-stack-protector", "-U_FORTIFY_SOURCE"]

# The kind, whether Memcheck finds it, whether AddressSanitizer does, and why one of them does not.
TABLE = {
    "freed_read": ("freed", True, True, ""),
    "freed_string": ("freed", True, True, ""),
    "freed_write": ("freed", True, True, ""),
    "reused_read": ("reused", True, True, ""),
    "reused_write": ("reused", True, True, ""),
    "realloc_stale": ("freed", True, True, ""),
    "heap_strcpy": ("outside", True, True, ""),
    "heap_loop": ("outside", True, True, ""),
    "heap_read": ("outside", True, True, ""),
    "heap_underflow": ("outside", True, True, ""),
    "heap_function_pointer": ("outside", True, True, ""),
    "return_address": ("return-address", True, True, ""),
    "stack_variable": ("outside", False, True, "Memcheck knows no variables"),
    "stack_handed": ("outside", False, True, "Memcheck knows no variables"),
    "global_variable": ("outside", False, True, "Memcheck knows no variables"),
    "uninitialised_stack": ("uninitialised", True, False, "AddressSanitizer does not follow what was written"),
    "uninitialised_heap": ("uninitialised", True, False, "AddressSanitizer does not follow what was written"),
    "double_free": ("double-free", True, True, ""),
    "free_inside": ("bad-free", True, True, ""),
    "free_stack": ("bad-free", True, True, ""),
    "null_read": ("null", True, True, ""),
    "null_write": ("null", True, True, ""),
    "null_call": ("null", True, True, ""),
    "wild_read": ("wild", True, True, ""),
}
HEALTHY = ["ok_strings", "ok_bits", "ok_padding", "ok_rebase", "ok_pool", "ok_recycle", "ok_based", "ok_sort",
           "ok_calloc", "ok_usable", "ok_jump", "ok_by_value", "ok_lines", "ok_union"]


def quiet(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, **more)


def memcheck_finds(program, case, way):
    done = quiet(["valgrind", "-q", "--error-exitcode=99", "--leak-check=no", program, case, way])
    return done.returncode == 99 or b"Invalid" in done.stderr or b"Jump to the invalid" in done.stderr or b"uninitialised" in done.stderr


def asan_finds(program, case, way):
    env = dict(os.environ, ASAN_OPTIONS="detect_leaks=0:detect_stack_use_after_return=0")
    return b"AddressSanitizer" in quiet([program, case, way], env=env).stderr


def why(program, case, tmp):
    env = dict(os.environ, TWINRUN_STORE=tmp + "/store", XDG_CACHE_HOME=tmp + "/cache")
    done = quiet([TWINRUN, "why", "--json", f"{program} {case} 0", f"{program} {case} 1"], env=env)
    if done.returncode != 1:
        sys.exit(f"FAIL {case}: why ended with {done.returncode}: {done.stderr.decode(errors='replace')}")
    # The programs write to standard output, too.
    return json.loads(done.stdout[done.stdout.index(b'{"'):] if not done.stdout.startswith(b"{") else done.stdout)


def check(built, case, tmp):
    """Failures, as texts."""
    out = []
    kind, by_memcheck, by_asan, reason = TABLE.get(case, (None, False, False, ""))
    assert kind is None or reason or (by_memcheck and by_asan), case
    for level, (plain, asan) in built.items():
        said = why(plain, case, tmp)["misuse"]
        found = [one["kind"] for one in said if not one["in_both"]]
        text = said[0]["text"] if said else "-"
        if (found[:1] or [None])[0] != kind:
            out.append(f"{case} {level}: why says {found}, not {kind}: {text}")
        seen = memcheck_finds(plain, case, "1"), asan_finds(asan, case, "1")
        if seen != (by_memcheck, by_asan):
            out.append(f"{case} {level}: Memcheck, AddressSanitizer: {seen}, not {(by_memcheck, by_asan)}")
        if memcheck_finds(plain, case, "0") or asan_finds(asan, case, "0"):
            out.append(f"{case} {level}: the run that behaves does not")
        print(f"     {case} {level}: why {found or '-'}, Memcheck {seen[0]}, AddressSanitizer {seen[1]}"
              f"{' (' + reason + ')' if reason else ''}: {text}", flush=True)
    return out


def main():
    chosen = sys.argv[1:] or sorted(TABLE) + HEALTHY
    if not ALL and not sys.argv[1:]:
        choice = random.Random(int(os.environ.get("TWINRUN_TEST_SEED", 1)))
        chosen = choice.sample(sorted(TABLE), 4) + choice.sample(HEALTHY, 2)
    failures = []
    with tempfile.TemporaryDirectory(prefix="twinrun-misuse-") as tmp:
        built = {}
        for level in ("-O0", "-O2"):
            plain, asan = f"{tmp}/cases{level}", f"{tmp}/asan{level}"
            for to, more in ((plain, []), (asan, ["-fsanitize=address"])):
                subprocess.run(["gcc", *FLAGS, level, *more, "-o", to, HERE + "/cases.c"], check=True)
            built[level] = plain, asan
        for case in chosen:
            failures += check(built, case, tmp)
    for failure in failures:
        print("FAIL", failure)
    print(f"{len(chosen)} cases, {len(failures)} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

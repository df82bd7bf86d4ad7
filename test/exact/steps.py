#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The number of recorded instructions equals hardware single-stepping, to the last one.

Each program in programs/ has no C library, so that nothing in it depends on the CPU's features. It
is built at several optimization levels, single-stepped by stepper.c and recorded; the two counts
and the exit statuses must be equal.

usage: steps.py [-v] [NAME...]
"""
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TWINRUN = os.path.abspath(os.environ.get("TWINRUN", ROOT + "/build/release/bin/twinrun"))
FLAGS = ["-w", "-nostdlib", "-static", "-ffreestanding", "-fno-stack-protector", "-fcf-protection=none",
         "-fno-asynchronous-unwind-tables"]


def build(source, out, flags):
    subprocess.run(["gcc", *flags, "-o", out, source], check=True)
    return out


def stepped(stepper, program):
    r, w = os.pipe()
    p = subprocess.Popen(["bash", "-c", f'exec "$@" 3>&{w}', "-", stepper, program], pass_fds=[w],
                         stdout=subprocess.DEVNULL)
    os.close(w)
    with os.fdopen(r) as f:
        text = f.read()
    return int(text), p.wait()


def recorded(program, trace, *flags):
    p = subprocess.run([TWINRUN, "record", *flags, "-o", trace, "--", program], check=False,
                       stdout=subprocess.DEVNULL)
    info = subprocess.run([TWINRUN, "info", "--json", trace], check=True, capture_output=True)
    status = p.returncode if p.returncode >= 0 else 128 - p.returncode
    if subprocess.run([TWINRUN, "verify", trace], check=False, stdout=subprocess.DEVNULL).returncode:
        print(f"{program}: verify fails")
        return -1, status
    return json.loads(info.stdout)["instructions"], status


def main():
    verbose = "-v" in sys.argv
    names = [a for a in sys.argv[1:] if a != "-v"]
    failed = ran = 0
    with tempfile.TemporaryDirectory(prefix="twinrun-exact-") as tmp:
        stepper = build(HERE + "/stepper.c", tmp + "/stepper", ["-O2", "-Wall"])
        for source in sorted(os.listdir(HERE + "/programs")):
            name, ext = os.path.splitext(source)
            if ext != ".c" or (names and name not in names):
                continue
            path = f"{HERE}/programs/{source}"
            with open(path, encoding="utf-8") as f:
                own = re.search(r"exact: flags=(.*?) \*/", f.read())
            for level in [own[1]] if own else ["-O0", "-O2"]:
                program = build(path, f"{tmp}/{name}", FLAGS + level.split())
                want = stepped(stepper, program)
                for mode in ([],) if level == "-O0" else ([], ["--control-flow-only"]):
                    trace = f"{tmp}/{name}.twin"
                    got = recorded(program, trace, *mode)
                    os.path.exists(trace) and os.unlink(trace)
                    ran += 1
                    ok = want == got
                    failed += not ok
                    if verbose or not ok:
                        print(f"{'same' if ok else 'FAIL'} {name} {level} {' '.join(mode)}: stepped "
                              f"{want[0]} (status {want[1]}), recorded {got[0]} (status {got[1]})", flush=True)
    print(f"{ran - failed} of {ran} instruction counts equal single-stepping")
    sys.exit(1 if failed or not ran else 0)


if __name__ == "__main__":
    main()

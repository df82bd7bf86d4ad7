#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""kill -9 at random points: every recording opens, verifies as a prefix and says that it is one.

The victim is the driver, or any of the recorded processes. When the driver dies the program runs
on to its own end. When a recorded process dies nothing that it had done is lost: every line that
it wrote is in the recording.

A point is a number of lines that the program has written, not a time: the same seed then kills at the same
places on a busy machine. Every sixth point is a time within the first second, because before the
first line there is nothing to count.

usage: kill.py [SEED [POINTS]]      200 points with TWINRUN_TEST_ALL=1, else 20
"""
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

from common import ALL, OWN_STATUS, PROGRAMS, TWINRUN, build, check_prefix, recording_at, run


def descendants(pid):
    """All processes below pid, in the order of their numbers."""
    found, todo = [], [pid]
    while todo:
        p = todo.pop()
        try:
            for t in os.listdir(f"/proc/{p}/task"):
                with open(f"/proc/{p}/task/{t}/children", encoding="utf-8") as f:
                    kids = [int(k) for k in f.read().split()]
                found += kids
                todo += kids
        except OSError:
            pass
    return sorted(found)


def start(program, trace, out):
    return subprocess.Popen([TWINRUN, "record", "-o", trace, "--", program], stdin=subprocess.DEVNULL,
                            stdout=out, stderr=subprocess.PIPE, start_new_session=True)


def wait_for_end(out_path, seconds):
    """True when the program has written its last line in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with open(out_path, encoding="utf-8") as f:
            if f.read().endswith("done\n"):
                return True
        time.sleep(0.05)
    return False


def recorded_writes(trace):
    """How many writes to stdout the recording holds."""
    status, out, _ = run("dump", "--syscalls", trace)
    return sum(1 for l in out.splitlines() if "write(1," in l) if status == 0 else -1


def count_lines(path):
    with open(path, encoding="utf-8") as f:
        return f.read().count("\n")


def wait_for_point(driver, out_path, point):
    """Waits until the program has written so many lines, or has ended; point < 0: that part of a second."""
    if point < 0:
        time.sleep(-point)
        return
    while driver.poll() is None and count_lines(out_path) < point:
        time.sleep(0.001)


def one_point(program, victim, point, tmp):
    """Kills once; returns what is wrong, or an empty string, and a remark."""
    trace, out_path = f"{tmp}/t.twin", f"{tmp}/out"
    for p in (trace, trace + ".partial"):
        if os.path.exists(p):
            os.unlink(p)
    with open(out_path, "w", encoding="utf-8") as out:
        driver = start(program, trace, out)
    wait_for_point(driver, out_path, point)
    if driver.poll() is not None:
        return "", "ended before"
    # Nothing has been promised before the file has its header.
    found = recording_at(trace)
    began = found is not None and os.path.getsize(found) >= 64
    target, root = driver.pid, False
    if victim == "process":
        below = descendants(driver.pid)
        if not below:
            driver.wait()
            return "", "no process yet"
        target = random.choice(below)
        root = target == below[0]
    try:
        os.kill(target, signal.SIGKILL)
    except ProcessLookupError:
        pass
    try:
        _, err = driver.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        os.killpg(driver.pid, signal.SIGKILL)
        return "the driver did not end in 120 s", ""
    if victim == "driver" and not wait_for_end(out_path, 60):
        return "the program did not run on to its end", ""
    if victim == "process" and driver.returncode not in (OWN_STATUS, 128 + 9, -9):
        return f"status {driver.returncode}: {err.decode(errors='replace')[-200:]}", ""
    found = recording_at(trace)
    if found is None:
        return ("the recording is gone" if began else ""), "before the recording began"
    if not began and os.path.getsize(found) < 64:
        return "", "before the recording began"
    wrong = check_prefix(found)
    if wrong:
        return wrong, ""
    said = run("info", found)[1]
    # A driver that was killed between the file's end and its new name has lost nothing.
    whole = victim == "driver" and f"exit {OWN_STATUS}," in said and ", complete" in said
    cut = not whole and (victim == "driver" or driver.returncode != OWN_STATUS)
    if cut and not any(w in said.lower() for w in ("prefix", "cut", "incomplete", "killed", "sigkill")):
        return f"info does not say that it is a prefix: {said[:300]!r}", ""
    if root and os.path.basename(program) in ("plain", "threads"):
        with open(out_path, encoding="utf-8") as f:
            wrote = len(f.read().splitlines())
        got = recorded_writes(found)
        if got < wrote:
            return f"{wrote} lines were written, the recording has {got} of these writes", ""
        return "", f"{wrote} lines, all recorded"
    return "", ""


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else random.randrange(10**6) if ALL else 1
    points = int(sys.argv[2]) if len(sys.argv) > 2 else 200 if ALL else 20
    print(f"seed {seed}, {points} points", flush=True)
    random.seed(seed)
    failed = 0
    with tempfile.TemporaryDirectory(prefix="twinrun-kill-") as tmp:
        programs, lines = {}, {}
        for name in PROGRAMS:
            programs[name] = build(name, tmp)
            with open(f"{tmp}/out", "w", encoding="utf-8") as out:
                p = start(programs[name], f"{tmp}/{name}.twin", out)
                err = p.communicate()[1].decode(errors="replace")
            lines[name] = count_lines(f"{tmp}/out")
            if p.returncode != OWN_STATUS or check_prefix(f"{tmp}/{name}.twin"):
                print(f"FAIL {name} without a kill: status {p.returncode}: {err[-300:]}")
                failed += 1
        for i in range(points):
            name = PROGRAMS[i % len(PROGRAMS)]
            victim = "driver" if (i // len(PROGRAMS)) % 2 else "process"
            point = -random.random() if i % 6 == 5 else random.randrange(1, lines[name] + 1)
            wrong, remark = one_point(programs[name], victim, point, tmp)
            failed += bool(wrong)
            print(f"{'FAIL' if wrong else 'ok  '} {i:3} {name:8} {victim:8} after "
                  f"{f'{-point:.3f} s' if point < 0 else f'{point} of {lines[name]} lines'}: {wrong or remark}", flush=True)
    print(f"{points} points, {failed} failures")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

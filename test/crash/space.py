#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No space: a full disk, a file size limit, a device that takes nothing.

Each time: one clear line with a code, a readable prefix (or a refusal before anything ran), and the
recorded program still ends with its own output and status.

usage: space.py [SEED]      tmpfs of 30 sizes with TWINRUN_TEST_ALL=1, else 6; mounting needs root
"""
import os
import random
import re
import subprocess
import sys
import tempfile

from common import ALL, OWN_STATUS, TWINRUN, build, check_prefix, recording_at

failed = 0


def report(what, wrong, remark=""):
    global failed
    failed += bool(wrong)
    print(f"{'FAIL' if wrong else 'ok  '} {what}: {wrong or remark}", flush=True)


def judge(what, p, trace, may_fit):
    """p: a finished `twinrun record` of writes.c; may_fit: no complaint is needed."""
    err = p.stderr.decode(errors="replace")
    own = [l for l in err.splitlines() if l.startswith("twinrun: ") and "= help:" not in l]
    if p.returncode == 125:
        if p.stdout:
            return report(what, "status 125 but the program ran")
        clear = len(own) == 1 and re.search(r"error\[\w+\].*", own[0])
        return report(what, "" if clear else f"no single clear line: {err!r}", "refused")
    if p.returncode != OWN_STATUS or not p.stdout.endswith(b"done\n"):
        return report(what, f"the program did not end by itself: status {p.returncode}, {p.stdout[-20:]!r}, {err[-200:]!r}")
    found = recording_at(trace)
    if not own:
        wrong = "" if may_fit else "not a word about it"
        return report(what, wrong or (check_prefix(found) if found else "no recording"), "it fits")
    said = "\n".join(own)
    if len(own) != 1 or not re.search("space|full|limit|large|bytes left", said):
        return report(what, f"no single clear line: {said!r}")
    if found is None or os.path.getsize(found) < 64:
        return report(what, "", "no room for a header")
    return report(what, check_prefix(found), own[0])


def record(program, trace, prefix=()):
    return subprocess.run([*prefix, TWINRUN, "record", "-o", trace, "--", program], capture_output=True,
                          stdin=subprocess.DEVNULL, check=False, timeout=300)


def full_disks(program, tmp):
    if os.geteuid() != 0:
        print("skipped: full disks need root to mount a tmpfs")
        return
    count = 30 if ALL else 6
    # Even steps in the logarithm, from a page to more than the recording needs.
    for i in range(count):
        kib = int(4 * (16384 / 4) ** (i / (count - 1)) * random.uniform(0.9, 1.1)) // 4 * 4 or 4
        disk = f"{tmp}/disk"
        os.makedirs(disk, exist_ok=True)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", disk], check=False).returncode:
            print("skipped: cannot mount a tmpfs here")
            return
        try:
            p = record(program, disk + "/t.twin")
            judge(f"tmpfs of {kib} KiB", p, disk + "/t.twin", may_fit=kib > 1024)
        finally:
            subprocess.run(["umount", "-l", disk], check=True)


def file_size_limits(program, tmp):
    for kib in (0, 1, 40, 700):
        trace = f"{tmp}/limit-{kib}.twin"
        p = record(program, trace, ["bash", "-c", f'ulimit -f {kib}; exec "$@"', "-"])
        judge(f"ulimit -f {kib}", p, trace, may_fit=False)


def full_device(program, tmp):
    device = f"{tmp}/full"
    if subprocess.run(["mknod", device, "c", "1", "7"], check=False, stderr=subprocess.DEVNULL).returncode:
        print("skipped: cannot make a device")
        return
    p = record(program, device)
    judge("a device that takes nothing", p, device + "/none", may_fit=False)
    if not os.path.exists(device) or os.path.isfile(device):
        report("a device that takes nothing", "the device was replaced")


def no_directory(program, tmp):
    p = record(program, f"{tmp}/no/such/directory/t.twin")
    judge("a directory that is not there", p, f"{tmp}/no/such/directory/t.twin", may_fit=False)


def max_size(program, tmp):
    trace = f"{tmp}/max.twin"
    p = subprocess.run([TWINRUN, "record", "--max-size", "1M", "-o", trace, "--", program], capture_output=True,
                       check=False, timeout=300)
    judge("--max-size 1M", p, trace, may_fit=False)
    found = recording_at(trace)
    size = os.path.getsize(found) if found else 0
    report("size under --max-size 1M", "" if size <= 1 << 20 else f"{size} bytes", f"{size} bytes")


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else random.randrange(10**6) if ALL else 1
    print(f"seed {seed}", flush=True)
    random.seed(seed)
    with tempfile.TemporaryDirectory(prefix="twinrun-space-") as tmp:
        program = build("writes", tmp)
        full_disks(program, tmp)
        file_size_limits(program, tmp)
        full_device(program, tmp)
        no_directory(program, tmp)
        max_size(program, tmp)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does the recording know every byte that the kernel writes? Records a program (calls.h) that makes each call
of format/kernel_writes.def, and demands

  that no load contradicts what the recording knows of memory: after each call the program loads all memory
  that it handed over, and `twinrun verify` compares every load with the last store or told write;
  that nothing was told which the kernel left alone: such bytes hold the program's pattern, in both runs of a
  case, which differ in it;
  that each row was reached, those that write with success, but for CANNOT; and FLOOR of them in any case.

usage: writes.py ROOT [-v]
"""
import json
import os
import re
import subprocess
import sys
import tempfile

TWINRUN = os.environ["TWINRUN"]
SLOT = 16 << 10
FIRST_PATTERN = 0x5a
FLOOR = 400
FLAGS = ["-std=gnu11", "-O1", "-g", "-Wall", "-Wno-unused-result", "-pthread"]

# Rows that are not reached, or not everywhere with success, and what they need.
CANNOT = [
    (r"lookup_dcookie", "is gone from the kernel"),
    (r"vhangup", "takes the terminal of whoever runs the test"),
    (r"syslog SYSLOG_ACTION_READ(_CLEAR)?", "takes the messages of the machine"),
    (r"ioctl TIOCCONS", "takes the console of the machine"),
    (r"fcntl F_GET_FILE_RW_HINT", "is gone from the kernel"),
    (r"fcntl F_(GETOWNER_UIDS|GET_RW_HINT)", "Valgrind refuses it"),
    (r"ptrace PTRACE_SECCOMP_GET_FILTER", "a filter in the process that is traced"),
    (r"ioctl (FIDEDUPERANGE|FIBMAP|FS_IOC_\w+)", "a file system that can"),
    (r"ioctl (BLK|HDIO|LOOP)\w+", "a block device that is in use"),
    (r"ioctl (KD|VT)\w+", "a console"),
    (r"ioctl TUN\w+", "/dev/net/tun"),
    (r"ioctl SIOCGARP", "a neighbour in the network"),
    (r"ioctl TIOC(M\w+|GSERIAL|SERGETLSR|GICOUNT)", "a serial line"),
    (r"ioctl (PAGEMAP_SCAN|PROCMAP_QUERY)", "a newer kernel"),
    (r"ptrace PTRACE_GET_RSEQ_CONFIGURATION", "a newer kernel"),
    (r"syslog \w+", "a right"),
]

# Bytes that are told and not seen to change, and why that is right.
UNCHANGED = [
    (r"ioctl SIOCGIF\w+", "the kernel writes back what it was given, with a part of it changed"),
    (r"getdents(64)?", "gaps between the entries of a directory"),
    (r"recvmsg", "gaps between control messages"),
    (r"ioctl|bpf", "it has no row: the number of the ioctl and Valgrind say how much may be written"),
]


def listed(name, table):
    return any(re.fullmatch(pattern, name) for pattern, _ in table)


def rows_of(table):
    """Rows by their names, each (call, command or None, does it write); and which argument a command is."""
    with open(table, encoding="utf-8") as f:
        text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
    rows, selectors = {}, {}
    for m in re.finditer(r"^(CALL|AFTER|ALWAYS|NOTHING)\((\w+)", text, re.M):
        rows[m[2]] = (m[2], None, m[1] != "NOTHING")
    for m in re.finditer(r"^COMMANDS\((\w+), (\d)\)", text, re.M):
        selectors[m[1]] = int(m[2])
    for m in re.finditer(r"^COMMAND\((\w+), (\w+), (\w+),(.*)$", text, re.M):
        rows[f"{m[1]} {m[3]}"] = (m[1], int(m[2], 0), m[4].strip() != ")")
    return rows, selectors


def build(work):
    here = os.path.dirname(os.path.abspath(__file__))
    sources = sorted(f"{here}/{f}" for f in os.listdir(here) if f.endswith(".c"))
    subprocess.run(["gcc", *FLAGS, "-o", f"{work}/calls", *sources], check=True)
    return f"{work}/calls"


class Recorded:
    """A recording of the program: what verify says of it, and where the memory of its cases is."""

    def __init__(self, twinrun, program, work):
        self.twinrun, self.trace, place = twinrun, f"{work}/calls.twin", f"{work}/place"
        os.makedirs(place, exist_ok=True)
        with open(f"{work}/err", "w", encoding="utf-8") as err:
            p = subprocess.run([twinrun, "record", "-q", "--force", "-o", self.trace, "--", program], cwd=place,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=err, text=True, check=False)
        if p.returncode != 0:
            sys.exit(f"the program ended with status {p.returncode}")
        self.slots = {}  # address: (case, pattern)
        for line in p.stdout.splitlines():
            address, case, pattern = line.split()
            self.slots[int(address, 16)] = (case, int(pattern, 16))
        p = subprocess.run([twinrun, "verify", "--json", self.trace], stdout=subprocess.PIPE, check=False)
        self.verified = json.loads(p.stdout)

    def untold(self):
        """Violations, with the cases that they belong to."""
        for v in self.verified["violations"]:
            m = re.search(r"a load at (0x[0-9a-f]+)", v["text"])
            at = int(m[1], 16) if m else 0
            case, _ = self.slots.get(at & -SLOT, ("elsewhere", 0))
            yield f"{case}: byte {at % SLOT}: {v['text']}" if m else f"{v['check']}: {v['text']}"

    def calls(self):
        p = subprocess.Popen([self.twinrun, "dump", "--json", "--syscalls", "--data", self.trace], stdout=subprocess.PIPE)
        for line in p.stdout:
            call = json.loads(line)
            if call.get("kind") == "syscall":
                yield call
        if p.wait() != 0:
            sys.exit("twinrun dump fails")


def number(text):
    try:
        return int(text, 0)
    except ValueError:
        return 0


def look(recorded, rows, selectors):
    """Which rows were reached, with success or not; and what was told of each slot, byte by byte."""
    by_call = {(call, command): name for name, (call, command, _) in rows.items()}
    reached, told = {}, {}
    for call in recorded.calls():
        selector = selectors.get(call["name"])
        command = None if selector is None else number(call["arguments"][selector]) & 0xffffffff
        row = by_call.get((call["name"], command))
        if row:
            reached[row] = reached.get(row, False) or (call["error"] is None and call["result"] is not None)
        for piece in call.get("data", []):
            if piece["direction"] != "written":
                continue
            for at, value in enumerate(bytes.fromhex(piece["bytes"]), piece["address"]):
                if at & -SLOT in recorded.slots:
                    told.setdefault(at & -SLOT, {}).setdefault(at % SLOT, []).append((value, row or call["name"]))
    return reached, told


def left_alone(slots, told):
    """Bytes that are told, and hold the pattern in both runs of a case."""
    for slot, (case, pattern) in slots.items():
        if pattern != FIRST_PATTERN:
            continue
        found = {}
        for at, first in told.get(slot, {}).items():
            second = told.get(slot + SLOT, {}).get(at, [])
            if second and all(v == pattern for v, _ in first) and all(v == slots[slot + SLOT][1] for v, _ in second):
                found.setdefault(first[0][1], []).append(at)
        for row, where in found.items():
            if not listed(row, UNCHANGED):
                yield f"{case}: {row}: told and not written: {len(where)} bytes at {min(where)}..{max(where)}"


def main():
    root = sys.argv[1]
    rows, selectors = rows_of(root + "/format/kernel_writes.def")
    with tempfile.TemporaryDirectory(prefix="twinrun-writes-") as work:
        recorded = Recorded(TWINRUN, build(work), work)
        reached, told = look(recorded, rows, selectors)
        bad = list(recorded.untold()) + list(left_alone(recorded.slots, told))
    for name, (_, _, writes) in rows.items():
        if reached.get(name) or (name in reached and not writes):
            continue
        if not listed(name, CANNOT):
            bad.append(f"{name}: fails" if name in reached else f"{name}: no case makes this call")
        elif "-v" in sys.argv:
            print(f"not made: {name}")
    succeeded = sum(reached.values())
    print(f"{len(recorded.slots) // 2} cases: {len(reached)} of {len(rows)} rows reached, {succeeded} with success; "
          f"{recorded.verified['loads_compared']} loads compared")
    if succeeded < FLOOR:
        bad.append(f"only {succeeded} rows are made with success, at least {FLOOR} must")
    print("\n".join(bad), end="\n" if bad else "")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""watch_progress.py STAGES|--nothing COMMAND...: runs the command with standard error on a terminal and looks at the line
that tells how far it is: stages that match the regular expression, a share that never gets less, the time left, and
nothing of it at the end. With --nothing there must be no such line. Seconds are not judged.
"""
import os
import pty
import re
import sys

ERASE = "\r\x1b[K"


def shown_by(command):
    """All that it writes to the terminal."""
    pid, terminal = pty.fork()
    if pid == 0:
        nowhere = os.open("/dev/null", os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.execvp(command[0], command)
    out = b""
    while True:
        try:
            data = os.read(terminal, 4096)
        except OSError:
            break
        if not data:
            break
        out += data
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if status not in (0, 1):
        sys.exit(f"{command}: exit status {status}\n{out.decode()}")
    return out.decode()


def main():
    stages, command = sys.argv[1], sys.argv[2:]
    shown = shown_by(command)
    if stages == "--nothing":
        if "\x1b" in shown or "%" in shown:
            sys.exit(f"progress is shown: {shown!r}")
        return
    drawn = [line.removesuffix("\x1b[K") for line in shown.split("\r") if line.endswith("\x1b[K") and line != "\x1b[K"]
    shares = []
    for line in drawn:
        match = re.fullmatch(rf"({stages})(?: (\d+)%, (?:\d+ (?:s|min|h) ?)+left|, \d+ s so far)", line)
        if not match:
            sys.exit(f"a strange line: {line!r}")
        if match[2]:
            shares.append(int(match[2]))
    if len(shares) < 3:
        sys.exit(f"only {len(shares)} shares: {drawn}")
    if shares != sorted(shares) or shares[0] > 90 or shares[-1] < 50:
        sys.exit(f"shares: {shares}")
    if ERASE not in shown or "left" in shown[shown.rindex(ERASE):]:
        sys.exit(f"the line is not taken away: {shown[-200:]!r}")


main()

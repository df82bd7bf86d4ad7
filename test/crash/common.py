# SPDX-License-Identifier: MIT
"""What the crash tests share: building the programs, reading what twinrun says of a recording."""
import json
import os
import re
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TWINRUN = os.path.abspath(os.environ.get("TWINRUN", ROOT + "/build/release/bin/twinrun"))
ALL = os.environ.get("TWINRUN_TEST_ALL") == "1"
OWN_STATUS = 7  # every program in programs/ ends with it
PROGRAMS = ["plain", "threads", "forks", "execs", "writes"]


def build(name, into):
    source = f"{HERE}/programs/{name}.c"
    with open(source, encoding="utf-8") as f:
        flags = re.search(r"flags: (.*?) \*/", f.read())
    out = os.path.join(into, name)
    subprocess.run(["gcc", "-O1", "-w", "-o", out, source] + (flags[1].split() if flags else []), check=True)
    return out


def run(*args):
    """Runs twinrun; returns status, stdout and stderr as text."""
    p = subprocess.run([TWINRUN, *args], capture_output=True, check=False, timeout=300)
    return p.returncode, p.stdout.decode(errors="replace"), p.stderr.decode(errors="replace")


def recording_at(path):
    """The recording of that name, finished or not; None when there is none."""
    for p in (path, path + ".partial"):
        if os.path.exists(p):
            return p
    return None


def check_prefix(trace):
    """Why the recording is not a good prefix; empty when it is one."""
    status, out, err = run("verify", trace)
    if status != 0:
        return f"verify gives {status}: {(out + err).strip()[-300:]}"
    status, out, err = run("info", trace)
    if status != 0:
        return f"info gives {status}: {(out + err).strip()[-300:]}"
    status, out, err = run("info", "--json", trace)
    try:
        json.loads(out)
    except ValueError as e:
        return f"info --json: {e}"
    status, out, err = run("dump", "--events", trace)
    if status != 0:
        return f"dump --events gives {status}: {(out + err).strip()[-300:]}"
    return ""

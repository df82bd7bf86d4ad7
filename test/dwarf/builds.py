# SPDX-License-Identifier: MIT
"""Builds of workload.c that the tests of this directory share."""
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ALL = os.environ.get("TWINRUN_TEST_ALL") == "1"

BUILDS = {
    "gcc-O0-dwarf4": "gcc -gdwarf-4 -O0",
    "gcc-O0-dwarf5": "gcc -gdwarf-5 -O0",
    "gcc-O2-dwarf4": "gcc -gdwarf-4 -O2",
    "gcc-O2-dwarf5": "gcc -gdwarf-5 -O2",
    "clang-O0-dwarf5": "clang-19 -gdwarf-5 -O0",
    "clang-O2-dwarf4": "clang-19 -gdwarf-4 -O2",
    "clang-O2-dwarf5": "clang-19 -gdwarf-5 -O2",
}


def need(*programs):
    missing = [p for p in programs if not shutil.which(p)]
    if not os.path.exists("/usr/include/stb/stb_image.h"):
        missing.append("libstb-dev")
    if missing:
        sys.exit("missing (./dev deps installs it): " + ", ".join(missing))


def run(command, cwd=None, **more):
    return subprocess.run(command, cwd=cwd, check=True, timeout=300, **more)


def build(directory, name, flags, position=()):
    """Compiles the workload to directory/name."""
    run([*flags.split(), "-w", "-g", *position, HERE + "/workload.c", "-o", name, "-lm"], cwd=directory)
    return os.path.join(directory, name)


def shared(name):
    """One of BUILDS; compiled once for all tests, which may run at the same time. Not to be changed."""
    with open(HERE + "/workload.c", "rb") as file:
        key = hashlib.sha256(file.read() + BUILDS[name].encode()).hexdigest()[:8]
    directory = os.path.join(os.environ["TWINRUN_TEST_CACHE"], "dwarf", f"{name}-{key}")
    os.makedirs(directory, exist_ok=True)
    with open(directory + ".lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(directory + "/" + name):
            os.rename(build(directory, name + ".new", BUILDS[name]), directory + "/" + name)
    return directory + "/" + name

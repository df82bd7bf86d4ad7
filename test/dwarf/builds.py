# SPDX-License-Identifier: MIT
"""Builds of workload.c that the tests of this directory share."""
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

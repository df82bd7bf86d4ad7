#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""stress-ng's stressors, each for a fixed number of operations, natively and recorded.

A stressor passes when the recorded run ends with the native run's status and the recording
verifies. Runs only with TWINRUN_TEST_ALL=1: it takes about half an hour.

usage: stressors.py [NAME...]
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TWINRUN = os.path.abspath(os.environ.get("TWINRUN", HERE + "/../../build/release/bin/twinrun"))

# Those that end by themselves, need no device and leave the machine as it was; the number of
# operations keeps each under some seconds (mmapfork is not here: each writes most of the machine's
# memory byte by byte). The last column of a line is for all names before it.
STRESSORS = {
    2: "bsearch cpu fp funccall hsearch list longjmp lsearch malloc matrix matrix-3d mergesort nop "
       "qsort radixsort regs shellsort skiplist str tree tsearch vecmath wcs zlib "
       "heapsort hash jpeg judy sparsematrix cache crypt goto branch rotate "
       "memcpy randlist syncload atomic",
    20: "access affinity chdir chmod clock close context dentry dir dirdeep dup env epoll eventfd "
        "fcntl fiemap file-ioctl filename flock fork fpunch fstat full futex get getdent handle hdd "
        "icache io itimer key kill lease link locka lockf lockofd madvise memfd mincore misaligned "
        "mmap mq mremap msg msync munmap mutex nanosleep null nice open pipe poll procfs "
        "prctl pthread readahead rename rlimit schedpolicy seek sem sem-sysv sendfile shm shm-sysv "
        "sigabrt sigchld sigfd sigfpe sigio signal signest sigpending sigq sigrt sigsegv sigsuspend "
        "sigtrap sleep sock sockfd sockpair spawn splice stack switch symlink sysinfo tee timer "
        "timerfd tmpfs tun udp urandom utime vfork vforkmany wait yield zero zombie exec",
}

# What differs as docs/limits.md says, and the code that the recording must then bear.
LISTED = {"sigrt": "W024", "sockpair": "W007"}


def status(command, cwd, seconds=120):
    p = subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        said, _ = p.communicate(timeout=seconds)
        return p.returncode, said.decode(errors="replace")
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, signal.SIGKILL)
        p.communicate()
        return "timeout", ""


def main():
    if os.environ.get("TWINRUN_TEST_ALL") != "1" and len(sys.argv) == 1:
        print("skipped: set TWINRUN_TEST_ALL=1")
        sys.exit(77)
    if not shutil.which("stress-ng"):
        print("skipped: no stress-ng")
        sys.exit(77)
    counts = {"same": 0, "listed": 0, "FAIL": 0, "skip": 0}
    for ops, names in STRESSORS.items():
        for name in names.split():
            if len(sys.argv) > 1 and name not in sys.argv[1:]:
                continue
            with tempfile.TemporaryDirectory(prefix="twinrun-stress-") as tmp:
                command = ["stress-ng", "--temp-path", tmp, "--quiet", f"--{name}", "1",
                           f"--{name}-ops", str(ops), "-t", "10"]
                native, _ = status(command, tmp)
                if native != 0:
                    counts["skip"] += 1
                    print(f"skip {name}: native status {native}", flush=True)
                    continue
                trace = tmp + "/t.twin"
                got, err = status([TWINRUN, "record", "-q", "-o", trace, "--"] + command, tmp)
                verify, said = status([TWINRUN, "verify", trace], tmp, 1200)
                how = "same" if got == native and verify == 0 else "FAIL"
                if how == "FAIL" and verify == 0 and name in LISTED:
                    how = "listed" if LISTED[name] in status([TWINRUN, "info", trace], tmp)[1] else "FAIL"
                counts[how] += 1
                print(f"{how} {name}: status {got}, verify {verify}"
                      + ("" if how == "same" else f" {err[-200:]!r} {said[-200:]!r}"), flush=True)
    print(f"{counts['same']} same, {counts['listed']} differ as docs/limits.md says, "
          f"{counts['FAIL']} fail, {counts['skip']} do not run here")
    sys.exit(1 if counts["FAIL"] > 0 else 0)


if __name__ == "__main__":
    main()

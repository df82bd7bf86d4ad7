#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Aligning a run of many threads with itself, beside one of few threads that executes as much.

N threads take turns of a fixed number from behind a mutex, so that the work is the same whatever N is, and
every segment of the recording has blocks of all of them. Times are user and system seconds of the process,
the minimum of some rounds, in which the recordings take turns.

usage: threads.sh [--rounds N] [--turns N]
"""
import argparse
import os
import subprocess
import sys
import tempfile

from record import TWINRUN

BAR = 1.5  # times of 33 threads against those of 2
PROGRAM = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long total, turns_left;

static unsigned long mix(unsigned long x) {
  for (int i = 0; i < 40; ++i) x = x & 1 ? (x >> 1) ^ 0xb400000000000001ul : x >> 1;
  return x;
}

static void* work(void* seed) {
  unsigned long mine = (unsigned long)seed;
  for (;;) {
    pthread_mutex_lock(&lock);
    int is_over = turns_left == 0;
    if (!is_over) --turns_left;
    pthread_mutex_unlock(&lock);
    if (is_over) break;
    for (int i = 0; i < 20; ++i) mine = mix(mine + i);
  }
  pthread_mutex_lock(&lock);
  total += mine;
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(int argc, char** argv) {
  int threads = argc > 1 ? atoi(argv[1]) : 1;
  turns_left = argc > 2 ? strtoul(argv[2], 0, 10) : 1000;
  pthread_t ids[64];
  for (int i = 0; i < threads; ++i) pthread_create(&ids[i], 0, work, (void*)(long)(i + 1));
  for (int i = 0; i < threads; ++i) pthread_join(ids[i], 0);
  printf("%lu\n", total);
}
"""


def cpu(command):
    """CPU seconds and the most memory in MB of a command."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"threads: {' '.join(command)} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--turns", type=int, default=7000)
    args = parser.parse_args()
    best, memory = {}, {}
    with tempfile.TemporaryDirectory(prefix="twinrun-bench-") as tmp:
        subprocess.run(["gcc", "-O1", "-pthread", "-x", "c", "-", "-o", tmp + "/threads"], input=PROGRAM, text=True,
                       check=True)
        workers = (1, 8, 32)
        for n in workers:
            subprocess.run([TWINRUN, "record", "-q", "--control-flow-only", "-o", f"{tmp}/{n}.twin", "--",
                            tmp + "/threads", str(n), str(args.turns)], check=True, stdout=subprocess.DEVNULL)
        for _ in range(args.rounds):
            for n in workers:
                seconds, most = cpu([TWINRUN, "align", f"{tmp}/{n}.twin", f"{tmp}/{n}.twin"])
                best[n], memory[n] = min(best.get(n, 1e9), seconds), max(memory.get(n, 0), most)
    print(f"{'threads':>8}{'align s':>9}{'ratio':>7}{'MB':>6}")
    for n in workers:
        print(f"{n + 1:8}{best[n]:9.2f}{best[n] / best[1]:7.2f}{memory[n]:6.0f}")
    missed = best[32] > BAR * best[1]
    print(f"bar: {BAR} times the time of two threads: " + ("missed" if missed else "met"))
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs each recipe natively and recorded, and compares what it did.

A recipe is one small program in recipes/. Its comments may hold lines "torture: key=value":

  flags=   compiler flags, after the source; a repeated line makes one case each
  args=    arguments; a repeated line makes one case each
  launch=  shell commands that run before the program is started (in both runs); one case each
  cc=      the compiler                     run=     the interpreter
  env=     NAME=value, may be repeated      stdin=   text of standard input, with \\n
  needs=   programs without which the recipe is skipped
  cpu=     a flag of /proc/cpuinfo without which it is skipped
  root=yes skipped unless run by root       slow=yes run only with TWINRUN_TEST_ALL=1
  files=no do not compare the files that it left in its directory
  settle=  wait for this file before looking (a process outlives the program)
  timeout= seconds for each run (60)
  listed=  code in docs/limits.md: the recorded run may differ, and the warning must be printed; or, of
           a code that is listed there as a note, the recording must hold it
  refused= code in docs/limits.md: twinrun refuses with status 125 and this code

Output, error output, status and files must be the same, and `twinrun verify` must accept the
recording. Output is deterministic, so that a difference is a defect and not noise.

usage: run.py [-j N] [-v] [--keep] [--sample N] [PATTERN...]
--sample N takes one of N recipes, drawn by the commit or TWINRUN_TEST_SEED, unless TWINRUN_TEST_ALL=1.
"""
import argparse
import concurrent.futures
import fnmatch
import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TWINRUN = os.path.abspath(os.environ.get("TWINRUN", ROOT + "/build/release/bin/twinrun"))
ALL = os.environ.get("TWINRUN_TEST_ALL") == "1"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
RUNNERS = {".sh": "bash", ".py": "/usr/bin/python3", ".lua": "lua5.4", ".js": "node", ".rb": "ruby"}
COMPILED = {".c": "gcc", ".cc": "g++", ".S": "gcc"}


class Case:
    """One recipe with one choice of flags, arguments and launch line."""

    def __init__(self, path, keys, flags, args, launch, number, count):
        self.path, self.keys, self.flags, self.args, self.launch = path, keys, flags, args, launch
        self.stem, self.ext = os.path.splitext(os.path.basename(path))
        self.name = self.stem + (f"@{number}" if count > 1 else "")
        self.what = " ".join(x for x in (flags if count > 1 else "", args, launch) if x)

    def one(self, key, default=None):
        return self.keys.get(key, [default])[0]


def read_cases(path):
    keys = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            m = re.search(r"torture: (\w+)=(.*?)\s*(\*/)?$", line)
            if m:
                keys.setdefault(m[1], []).append(m[2])
    flags, args, launch = (keys.get(k, [""]) for k in ("flags", "args", "launch"))
    combos = [(f, a, l) for f in flags for a in args for l in launch]
    return [Case(path, keys, *c, i, len(combos)) for i, c in enumerate(combos)]


def skip_reason(case):
    if case.one("slow") == "yes" and not ALL:
        return "slow"
    if case.one("root") == "yes" and os.geteuid() != 0:
        return "not root"
    tools = case.one("needs", "").split()
    if case.ext in COMPILED:
        tools.append(case.one("cc", COMPILED[case.ext]))
    else:
        tools.append(case.one("run", RUNNERS[case.ext]))
    for t in tools:
        if not shutil.which(t, path=PATH):
            return f"no {t}"
    cpu = case.one("cpu")
    if cpu:
        with open("/proc/cpuinfo", encoding="utf-8") as f:
            if not re.search(rf"\b{cpu}\b", f.read()):
                return f"no {cpu}"
    return None


def build(case, cache):
    """The command that runs the case; compiles when there is no program of the same content yet."""
    if case.ext not in COMPILED:
        return [case.one("run", RUNNERS[case.ext]), case.path] + shlex.split(case.args)
    cc = case.one("cc", COMPILED[case.ext])
    with open(case.path, "rb") as f:
        text = f.read()
    key = hashlib.sha256(text + f"{cc} {case.flags}".encode()).hexdigest()[:16]
    out = os.path.join(cache, key, case.stem)
    if not os.path.exists(out):
        os.makedirs(os.path.dirname(out), exist_ok=True)
        tmp = out + f".{os.getpid()}.{threading.get_ident()}"
        # Split debug information lies beside the program that was named here.
        dump = ["-dumpdir", os.path.dirname(out) + "/"] if cc == "gcc" else []
        subprocess.run([cc, "-w", *dump, "-o", tmp, case.path, *shlex.split(case.flags)], check=True)
        os.rename(tmp, out)
    return [out] + shlex.split(case.args)


class Result:
    def __init__(self, status, out, err, files, seconds):
        self.status, self.out, self.err, self.files, self.seconds = status, out, err, files, seconds


def files_below(top):
    """Name, mode and content of everything below a directory."""
    found = {}
    for here, dirs, names in os.walk(top):
        for n in sorted(dirs + names):
            p = os.path.join(here, n)
            st = os.lstat(p)
            rel = os.path.relpath(p, top)
            if os.path.islink(p):
                found[rel] = ("link", os.readlink(p))
            elif os.path.isfile(p):
                with open(p, "rb") as f:
                    found[rel] = (oct(st.st_mode), hashlib.sha256(f.read()).hexdigest())
            else:
                found[rel] = (oct(st.st_mode),)
    return found


def run(case, command, work):
    """Runs a command in a fresh directory; returns None when it did not end in time."""
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    env = {"PATH": PATH, "HOME": work, "LC_ALL": "C", "TERM": "dumb", "USER": "user",
           "XDG_DATA_HOME": work + ".data", "TMPDIR": work}
    for e in case.keys.get("env", []):
        name, _, value = e.partition("=")
        env[name] = value
    if case.launch:
        command = ["bash", "-c", case.launch + '\nexec "$@"', "launch"] + command
    stdin = (case.one("stdin") or "").replace("\\n", "\n").encode()
    limit = float(case.one("timeout", "60"))
    start = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, \
         tempfile.TemporaryFile() as inp:
        inp.write(stdin)
        inp.seek(0)
        p = subprocess.Popen(command, cwd=work, env=env, stdin=inp, stdout=out, stderr=err,
                             start_new_session=True)
        try:
            p.wait(limit)
        except subprocess.TimeoutExpired:
            os.killpg(p.pid, signal.SIGKILL)
            p.wait()
            return None
        settle = case.one("settle")
        while settle and not os.path.exists(os.path.join(work, settle)):
            if time.monotonic() - start > limit:
                return None
            time.sleep(0.02)
        out.seek(0)
        err.seek(0)
        status = p.returncode if p.returncode >= 0 else 128 - p.returncode
        files = files_below(work) if case.one("files") != "no" else {}
        return Result(status, out.read(), err.read(), files, time.monotonic() - start)


def own_lines(err):
    """Splits what the program wrote to stderr from the lines of twinrun itself."""
    own = [l for l in err.splitlines(keepends=True) if l.startswith(b"twinrun: ")]
    rest = b"".join(l for l in err.splitlines(keepends=True) if not l.startswith((b"twinrun: ", b"  = help: ")))
    return rest, b"".join(own).decode(errors="replace")


def notes():
    """The codes that docs/limits.md lists as notes only: those in the recording, and not printed."""
    with open(ROOT + "/docs/limits.md", encoding="utf-8") as f:
        said, noted = f.read().split("## Recorded, with a note")
    return set(re.findall(r"^\| (W\d{3}) ", noted, re.M)) - set(re.findall(r"^\| (W\d{3}) ", said, re.M))


def is_said(code, trace, own):
    """Whether a code was printed, or, of a note, is in the recording."""
    if code not in notes():
        return f"warning[{code}]" in own
    p = subprocess.run([TWINRUN, "info", "--json", trace], capture_output=True, check=False)
    return f"[{code}]" not in own and code in {w["code"] for w in json.loads(p.stdout)["warnings"]}


def difference(a, b):
    """What differs between two results, in one line; empty when they agree."""
    err, _ = own_lines(b.err)
    said = []
    if a.status != b.status:
        said.append(f"status {a.status} became {b.status}")
    for name, x, y in (("stdout", a.out, b.out), ("stderr", a.err, err)):
        if x != y:
            at = next((i for i, (p, q) in enumerate(zip(x, y)) if p != q), min(len(x), len(y)))
            said.append(f"{name} differs at byte {at}: {x[max(0, at - 20):at + 40]!r} became {y[max(0, at - 20):at + 60]!r}")
    if a.files != b.files:
        names = sorted(n for n in a.files.keys() | b.files.keys() if a.files.get(n) != b.files.get(n))
        said.append("files differ: " + ", ".join(names[:5]))
    return "; ".join(said)


def judge(case, cache, scratch):
    """(verdict, sentence): verdict is same, listed, skip or FAIL."""
    reason = skip_reason(case)
    if reason:
        return "skip", reason
    try:
        command = build(case, cache)
    except subprocess.CalledProcessError as e:
        return "FAIL", f"does not compile: {e}"
    work = os.path.join(scratch, case.name)
    native = run(case, command, work)
    if native is None:
        return "FAIL", "native run timed out"
    trace = os.path.join(scratch, case.name + ".twin")
    recorded = run(case, [TWINRUN, "record", "-o", trace, "--"] + command, work)
    if recorded is None:
        return "FAIL", "recorded run timed out"
    took = f"{native.seconds:.2f} s, recorded {recorded.seconds:.2f} s"
    _, own = own_lines(recorded.err)
    refused = case.one("refused")
    if refused:
        if recorded.status == 125 and f"error[{refused}]" in own:
            return "listed", f"refused with {refused}"
        return "FAIL", f"not refused with {refused} and 125: status {recorded.status}: {own.strip()!r}"
    if not os.path.exists(trace) and not os.path.exists(trace + ".partial"):
        return "FAIL", f"no recording; stderr {recorded.err[-300:]!r}"
    check = subprocess.run([TWINRUN, "verify", trace if os.path.exists(trace) else trace + ".partial"],
                           capture_output=True, check=False)
    if check.returncode != 0:
        return "FAIL", f"verify: {(check.stdout + check.stderr)[-300:]!r}; {difference(native, recorded)}"
    diff = difference(native, recorded)
    listed = case.one("listed")
    if listed and not is_said(listed, trace, own):
        return "FAIL", f"{listed} is not said; {diff}"
    if listed:
        return ("listed", f"{listed}: {diff}") if diff else ("same", took + f", {listed} said")
    if diff:
        return "FAIL", diff
    return "same", took


def drawn(cases, share):
    """The cases of one of `share` recipes: others with each commit, so that all of them come by with time."""
    seed = os.environ.get("TWINRUN_TEST_SEED")
    if not seed:
        done = subprocess.run(["git", "-C", HERE, "rev-parse", "HEAD"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=False)
        seed = done.stdout.decode().strip()
    recipes = sorted({c.stem for c in cases}, key=lambda stem: hashlib.sha256(f"{seed} {stem}".encode()).digest())
    kept = set(recipes[:-(-len(recipes) // share)])
    print(f"{len(kept)} of {len(recipes)} recipes, drawn by {seed or 'nothing'}")
    return [c for c in cases if c.stem in kept]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("-j", type=int, default=os.cpu_count() or 1)
    ap.add_argument("-v", action="store_true", help="print every case, not only failures")
    ap.add_argument("--keep", action="store_true", help="keep recordings and directories")
    ap.add_argument("--sample", type=int, default=1, metavar="N", help="take one of N recipes")
    ap.add_argument("patterns", nargs="*")
    o = ap.parse_args()
    cache = os.environ.get("TWINRUN_TEST_CACHE", ROOT + "/build/test-cache") + "/torture"
    cases = []
    for name in sorted(os.listdir(HERE + "/recipes")):
        if os.path.splitext(name)[1] in COMPILED.keys() | RUNNERS.keys():
            cases += read_cases(f"{HERE}/recipes/{name}")
    if o.patterns:
        cases = [c for c in cases if any(fnmatch.fnmatch(c.name, p) or c.stem == p for p in o.patterns)]
    if o.sample > 1 and not os.environ.get("TWINRUN_TEST_ALL"):
        cases = drawn(cases, o.sample)
    scratch = tempfile.mkdtemp(prefix="twinrun-torture-")
    counts = {"same": 0, "listed": 0, "skip": 0, "FAIL": 0}
    recipes = set()

    def one(case):
        try:
            verdict = judge(case, cache, scratch)
        except Exception as e:  # a broken recipe must not hide the others
            verdict = "FAIL", f"{type(e).__name__}: {e}"
        if not o.keep:
            for p in ("", ".twin", ".twin.partial", ".data"):
                path = os.path.join(scratch, case.name + p)
                shutil.rmtree(path, ignore_errors=True) if os.path.isdir(path) else os.path.exists(path) and os.unlink(path)
        return case, verdict

    try:
        with concurrent.futures.ThreadPoolExecutor(o.j) as pool:
            for case, (verdict, said) in pool.map(one, cases):
                counts[verdict] += 1
                if verdict in ("same", "listed"):
                    recipes.add(case.stem)
                if verdict == "FAIL" or o.v:
                    print(f"{verdict:6} {case.name:32} {case.what + ': ' if case.what else ''}{said}", flush=True)
    finally:
        if o.keep:
            print("kept:", scratch)
        else:
            shutil.rmtree(scratch, ignore_errors=True)
    ran = counts["same"] + counts["listed"] + counts["FAIL"]
    print(f"{ran} cases of {len(recipes)} recipes: {counts['same']} same, {counts['listed']} differ as "
          f"docs/limits.md says, {counts['FAIL']} fail, {counts['skip']} skipped")
    if not ran and counts["skip"]:
        sys.exit(77)
    sys.exit(1 if counts["FAIL"] or not ran else 0)


if __name__ == "__main__":
    main()

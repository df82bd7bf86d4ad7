# SPDX-License-Identifier: MIT
"""The truth set of `why`: its cases, how their programs are fetched and built, and how they are run.

A case is a directory below cases/: case.toml, bug.patch (against the Debian source package, with Debian's own
patches applied) and the inputs of a good and a bad run. Everything that was not patched is compiled once per
package and build, so that a case costs the files of its patch and a link.
"""
import fcntl
import glob
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib

HERE = os.path.dirname(os.path.abspath(__file__))
BUILDS = ("gcc-O0", "gcc-O2", "clang-O0", "clang-O2")
COMPILERS = {("gcc", "c"): "gcc", ("gcc", "c++"): "g++", ("clang", "c"): "clang-19", ("clang", "c++"): "clang++-19"}
KINDS = ("wrong-value", "missing-assignment", "off-by-one", "wild-write", "use-after-free", "uninitialised-read",
         "wrong-branch", "missing-call", "sign-or-overflow", "aliasing")
SECONDS = 5  # a run that takes longer hangs
RECORDED_SECONDS = 120
# Old sources: warnings about them help nobody.
ALWAYS = ["-g", "-w", "-U_FORTIFY_SOURCE"]
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC", "HOME": "/nonexistent"}


class Failure(Exception):
    """Something that the truth set needs is not so; the text says what."""


def cache_directory(given=None):
    """Where everything goes that is fetched or built: the argument, or truth below TWINRUN_BUILD."""
    if given is None:
        given = os.path.join(os.environ.get("TWINRUN_BUILD", os.path.join(HERE, "../../../build/release")), "truth")
    given = os.path.abspath(given)
    os.makedirs(given, exist_ok=True)
    return given


def run(command, what, **how):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, **how)
    if done.returncode != 0:
        text = done.stdout.decode(errors="replace").strip()
        shown = " ".join(command)[:300]
        raise Failure(f"{what}: {shown}: status {done.returncode}\n{text[-2000:]}")
    return done.stdout.decode(errors="replace")


def same_file(a, b):
    """Whether one path is the end of the other, by whole components: src/x.c and /tmp/y/src/x.c, or x.c."""
    left = [part for part in a.split("/") if part not in ("", ".")][::-1]
    right = [part for part in b.split("/") if part not in ("", ".")][::-1]
    return bool(left) and bool(right) and all(x == y for x, y in zip(left, right))


# Packages


def load_packages(where=HERE):
    """The programs of the set in this directory."""
    with open(os.path.join(where, "packages.toml"), "rb") as file:
        return tomllib.load(file)


def debian_sources():
    """The machine's own Debian sources as one-line deb-src entries; updates are left out: a suite is a version."""
    lines = []
    for path in ["/etc/apt/sources.list"] + sorted(glob.glob("/etc/apt/sources.list.d/*.list")):
        if os.path.exists(path):
            for line in open(path, encoding="utf-8"):
                match = re.match(r"deb\s+(\[[^]]*\]\s+)?(\S+)\s+(\S+)\s+(.*)", line)
                if match:
                    lines.append((match[1] or "", match[2], match[3]))
    for path in sorted(glob.glob("/etc/apt/sources.list.d/*.sources")):
        for stanza in re.split(r"\n\s*\n", open(path, encoding="utf-8").read()):
            field = dict(re.findall(r"(?m)^(Types|URIs|Suites|Signed-By):[ \t]*(.*)$", stanza))
            if "deb" in field.get("Types", "").split():
                signed = f"[signed-by={field['Signed-By']}] " if field.get("Signed-By", "").startswith("/") else ""
                lines += [(signed, uri, suite) for uri in field["URIs"].split() for suite in field["Suites"].split()]
    lines = [(how, uri, suite) for how, uri, suite in lines
             if re.search(r"/debian/?$", uri) and not re.search(r"[-/](updates|security|backports)", suite)]
    return "".join(f"deb-src {how}{uri} {suite} main\n" for how, uri, suite in lines)


def apt_options(cache):
    """apt-get with directories of its own: the machine's lists and sources are not touched."""
    apt = os.path.join(cache, "apt")
    options = []
    for key, name in (("Dir::State::lists", "lists"), ("Dir::Cache", "cache")):
        os.makedirs(os.path.join(apt, name, "archives" if name == "cache" else "", "partial"), exist_ok=True)
        options += ["-o", f"{key}={apt}/{name}"]
    sources = os.path.join(apt, "sources.list")
    options += ["-o", f"Dir::Etc::sourcelist={sources}", "-o", "Dir::Etc::sourceparts=-", "-o", "APT::Sandbox::User="]
    # Two truth sets can be built at once: the second one waits until the lists are there.
    with open(os.path.join(apt, "lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(sources):
            with open(sources + ".new", "w", encoding="utf-8") as file:
                file.write(debian_sources())
            os.rename(sources + ".new", sources)
            try:
                run(["apt-get"] + options + ["update"], "cannot read the list of source packages")
            except Failure:
                os.unlink(sources)
                raise
    return options


def recipe(name, package):
    """A name for the package and all that is done to it, so that nothing old is used after a change."""
    text = json.dumps([package, ALWAYS], sort_keys=True)
    return f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def fetch(name, package, cache):
    """The unpacked source of the package, configured; the tree is never changed afterwards."""
    tree = os.path.join(cache, "source", recipe(name, package))
    if os.path.exists(tree):
        return tree
    made = tree + ".new"
    shutil.rmtree(made, ignore_errors=True)
    os.makedirs(made)
    version = package["version"]
    run(["apt-get"] + apt_options(cache) + ["source", "--download-only", f"{name}={version}"],
        f"{name}: cannot fetch version {version}", cwd=made)
    run(["dpkg-source", "-x", glob.glob(made + "/*.dsc")[0], made + "/tree"], f"{name}: cannot unpack")
    os.rename(made + "/tree", tree)
    shutil.rmtree(made)
    try:
        if "prepare" in package:
            run(["bash", "-ec", package["prepare"]], f"{name}: cannot prepare", cwd=tree)
    except Failure:
        shutil.rmtree(tree)
        raise
    return tree


def package_sources(package, tree):
    found = []
    for pattern in package["sources"]:
        paths = sorted(os.path.relpath(path, tree) for path in glob.glob(os.path.join(tree, pattern)))
        found += [path for path in paths if path not in package.get("exclude", [])]
    return found


def compiler(build, package):
    family, level = build.split("-")
    return [COMPILERS[family, package["language"]], "-" + level] + ALWAYS


def compile_one(build, package, tree, source, target, more=()):
    os.makedirs(os.path.dirname(target), exist_ok=True)
    run(compiler(build, package) + package.get("flags", []) + list(more) + ["-c", source, "-o", target],
        f"cannot compile {source}", cwd=tree)


def link(build, package, tree, objects, target, more=()):
    libraries = [os.path.join(tree, word) if word.endswith(".a") else word for word in package.get("libs", [])]
    run(compiler(build, package) + list(more) + objects + libraries + ["-o", target + ".new"],
        "cannot link", cwd=tree)
    os.rename(target + ".new", target)


def build_package(name, package, build, cache):
    """Objects and the program of the unpatched source: {source: object}, path."""
    tree = fetch(name, package, cache)
    where = os.path.join(cache, "base", recipe(name, package), build)
    program = os.path.join(where, "program")
    objects = {}
    for source in package_sources(package, tree):
        objects[source] = os.path.join(where, source + ".o")
        if not os.path.exists(program):
            compile_one(build, package, tree, source, objects[source])
    if not os.path.exists(program):
        link(build, package, tree, list(objects.values()), program)
    return objects, program


# Cases


def copy_inputs(source, names, directory):
    """Copies input files. Those that would look like sources of this project are kept with .input at the end."""
    for name in names:
        shutil.copyfile(os.path.join(source, name), os.path.join(directory, name.removesuffix(".input")))


class Case:
    """One bug with the input that shows it and one that does not."""

    def __init__(self, name, where=HERE):
        self.name = name
        self.directory = os.path.join(where, "cases", name)
        with open(os.path.join(self.directory, "case.toml"), "rb") as file:
            self.data = tomllib.load(file)
        with open(os.path.join(self.directory, "bug.patch"), encoding="utf-8", errors="surrogateescape") as file:
            self.patched = re.findall(r"(?m)^\+\+\+ b/(\S+)", file.read())
        self.package = self.data["package"]
        self.kinds = self.data["kinds"]
        self.omission = self.data["omission"]

    def fails(self, build):
        """How the bad run fails; a build may have a way of its own."""
        return self.data["fails"].get(build, self.data["fails"])

    def silent(self, build):
        """Why the bug does not show in this build, or None."""
        return self.data.get("silent", {}).get(build)

    def silent_recorded(self, build):
        """Why the bug of this case does not show in this build while it is recorded, though it does natively; or None."""
        return self.silent(build) or self.data.get("silent_recorded", {}).get(build)

    def copy_inputs(self, directory):
        copy_inputs(self.directory, set(os.listdir(self.directory)) - {"case.toml", "bug.patch"}, directory)


def load_cases(names=(), where=HERE):
    """The cases of the set in this directory, or those of these names."""
    known = sorted(os.listdir(os.path.join(where, "cases")))
    for name in names:
        if name not in known:
            raise Failure(f"no case is named {name}")
    return [Case(name, where) for name in (names or known)]


def patched_tree(case, package, cache):
    """The source with the bug. What was built of another patch or recipe is removed."""
    tree = os.path.join(cache, "cases", case.name, "source")
    patch = os.path.join(case.directory, "bug.patch")
    stamp = tree + ".stamp"
    with open(patch, "rb") as file:
        wanted = recipe(case.package, package).encode() + b"\n" + file.read()
    if os.path.exists(stamp):
        with open(stamp, "rb") as file:
            if file.read() == wanted:
                return tree
    shutil.rmtree(os.path.dirname(tree), ignore_errors=True)
    shutil.copytree(fetch(case.package, package, cache), tree, symlinks=True,
                    ignore=shutil.ignore_patterns(".pc", "debian", "*.o"))
    run(["patch", "-p1", "-s", "--fuzz=0", "--no-backup-if-mismatch", "-i", patch], f"{case.name}: cannot patch", cwd=tree)
    with open(stamp, "wb") as file:
        file.write(wanted)
    return tree


def build_case(case, packages, build, cache, more=()):
    """The path of the program with the bug; `more` are flags for a variant of the build, named by them."""
    package = packages[case.package]
    tree = patched_tree(case, package, cache)
    where = os.path.join(cache, "cases", case.name, build + "".join(more).replace("/", "_"))
    program = os.path.join(where, "program")
    if os.path.exists(program):
        return program
    sources = package_sources(package, tree)
    changed = case.patched if all(path in sources for path in case.patched) else sources  # a header concerns all
    objects = {} if more else dict(build_package(case.package, package, build, cache)[0])
    for source in sources if more else changed:
        objects[source] = os.path.join(where, source + ".o")
        compile_one(build, package, tree, source, objects[source], more)
    link(build, package, tree, list(objects.values()), program, more)
    return program


def root_lines(case, packages, cache, build=None):
    """The places of the cause in the patched source: {(file, line)}; those of some builds only for these."""
    tree = patched_tree(case, packages[case.package], cache)
    found = set()
    for root in case.data["root"]:
        if build and build not in root.get("builds", BUILDS):
            continue
        with open(os.path.join(tree, root["file"]), encoding="utf-8", errors="replace") as file:
            lines = file.read().split("\n")
        places = [number for number, line in enumerate(lines, 1) if root["text"] in line]
        if root.get("line") in places:  # needed only where the text is not unique
            places = [root["line"]]
        if len(places) != 1:
            raise Failure(f"{case.name}: {root['text']!r} is {len(places)} times in {root['file']}")
        found.add((root["file"], places[0]))
    return found


# Runs


def prepare_run(case, side, directory):
    """An empty directory with the inputs. Returns the arguments, the standard input's path or None, the environment."""
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    case.copy_inputs(directory)
    how = case.data[side]
    stdin = how.get("stdin")
    return how.get("args", []), stdin and os.path.join(directory, stdin), ENVIRONMENT | how.get("env", {})


class Behaviour:
    """What can be seen of a run."""

    def __init__(self, status, output, files):
        self.status = status  # an exit status, minus a signal, or None: it had to be stopped
        self.output = output
        self.files = files

    def __eq__(self, other):
        return (self.status, self.output, self.files) == (other.status, other.output, other.files)

    def __str__(self):
        if self.status is None:
            return "hang"
        return signal.Signals(-self.status).name if self.status < 0 else f"exit {self.status}"


def kill(child):
    os.killpg(child.pid, signal.SIGKILL)


def behave(program, command, stdin, environment, directory, seconds, stop=kill):
    """Runs the command in a session of its own; `stop` ends a run that takes longer than `seconds`."""
    before = set(os.listdir(directory))
    out_path = directory + ".out"
    with open(stdin or os.devnull, "rb") as source, open(out_path, "wb") as sink:
        child = subprocess.Popen(command, stdin=source, stdout=sink, stderr=subprocess.STDOUT, cwd=directory,
                                 env=environment, start_new_session=True)
        try:
            status = child.wait(seconds)
        except subprocess.TimeoutExpired:
            stop(child)
            child.wait()
            status = None
    with open(out_path, "rb") as file:
        output = file.read(1 << 22)
    files = {}
    for name in sorted(set(os.listdir(directory)) - before):
        path = os.path.join(directory, name)
        files[name] = open(path, "rb").read(1 << 22) if os.path.isfile(path) else None
    for word, name in ((directory, b"."), (program, b"program")):  # programs print where they are
        output = output.replace(word.encode(), name)
    return Behaviour(status, output, files)


def run_natively(case, side, program, directory):
    args, stdin, environment = prepare_run(case, side, directory)
    return behave(program, [program] + args, stdin, environment, directory, SECONDS)


def observe(case, program, name, directory):
    """What the program writes on the bad input, by descriptor and by file; None: it does not end. name: its argv[0]."""
    args, stdin, environment = prepare_run(case, "bad", directory)
    before = set(os.listdir(directory))
    with open(stdin or os.devnull, "rb") as source:
        try:
            done = subprocess.run([name] + args, executable=program, stdin=source, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, cwd=directory, env=environment, timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return None
    written = {"1": done.stdout, "2": done.stderr}
    for entry in sorted(set(os.listdir(directory)) - before):
        path = os.path.join(directory, entry)
        if os.path.isfile(path):
            with open(path, "rb") as file:
                written[entry] = file.read()
    return written


def wrong_byte(case, build, program, unpatched, directory):
    """Where the output of a case whose output is wrong begins to be wrong, as `why --wrong` wants it: what somebody
    knows who has seen it. None when that is no byte: something is missing at the end."""
    if case.fails(build)["how"] not in ("output", "varies"):
        return None
    seen = observe(case, program, program, directory)
    right = observe(case, unpatched, program, directory)
    if seen is None or right is None:
        return None
    for name, text in seen.items():
        other = right.get(name, b"")
        offset = next((i for i, (x, y) in enumerate(zip(text, other)) if x != y), min(len(text), len(other)))
        if offset < len(text):
            return f"{name}:{offset}"
        if offset < len(other):
            return None
    return None


def judge_behaviour(case, build, side, seen, reference):
    """None when the run behaves as the case says, else what is wrong. reference: what the unpatched program does."""
    if side == "good":
        return None if seen == reference else f"the good run ({seen}) differs from the unpatched program's ({reference})"
    fails = case.fails(build)
    how = fails["how"]
    if how == "hang":
        right = seen.status is None and reference.status is not None
    elif how == "signal":
        right = seen.status == -getattr(signal, fails["signal"]) and reference.status != seen.status
    elif how == "exit":
        right = seen.status == fails["status"] and reference.status != seen.status
    elif how == "output":
        right = seen.status == reference.status == fails.get("status", 0) and seen != reference
    elif how == "varies":  # from run to run, with the addresses
        right = seen != reference
    else:
        raise Failure(f"{case.name}: unknown way to fail: {how}")
    return None if right else f"the bad run is {seen}, the unpatched program {reference}, the case says {how}"


def die(text):
    print(text, file=sys.stderr)
    sys.exit(1)


def run_main(main, *arguments):
    """Calls main; a Failure is told and ends with status 1."""
    try:
        main(*arguments)
    except Failure as failure:
        die(str(failure))
    sys.exit(0)

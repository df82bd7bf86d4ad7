# SPDX-License-Identifier: MIT
"""Programs in several versions and builds, with their exact profiles.

A variant is VERSION-COMPILER-LEVEL-KIND in the folder of its program, such as sqlite/3.46.0-gcc-O2-np:

    bin              the program, linked with --emit-relocs; np: at a fixed address, pie: not
    callgrind.out    callgrind's exact profile of its workload
    true.fdata       the same for BOLT
    true.yaml        the same as BOLT 22 writes it, with its blocks; true-19.yaml for BOLT 19

A variant with -rn is the same binary without names: its functions are called f_ADDRESS. Everything is
made once; a file appears under its name when it is complete.
"""
import collections
import os
import shutil
import subprocess
import tempfile

import profile_bolt as bolt
from profile_fdata import text_of, write_fdata

HERE = os.path.dirname(os.path.abspath(__file__))
CACHE = os.path.abspath(os.environ.get("TWINRUN_BENCH_CACHE", os.path.dirname(HERE) + "/build/bench-profile"))
COMPILERS = {"gcc": ("gcc", "g++"), "clang": ("clang-19", "clang++-19")}
# callgrind reads DWARF 5 of gcc, not of every clang. Blocks of one function in two places are two functions
# to a profile.
FLAGS = {"gcc": ["-g", "-fno-reorder-blocks-and-partition"], "clang": ["-gdwarf-4"]}
KINDS = {"np": ["-fno-pie", "-no-pie"], "pie": ["-fPIE", "-pie"]}
CALLGRIND = ["valgrind", "--command-line-only=yes", "-q", "--tool=callgrind", "--dump-instr=yes", "--dump-line=no",
             "--compress-pos=no", "--compress-strings=no", "--collect-jumps=yes"]
KEPT_NAMES = {"main", "_start", "_init", "_fini"}


class Program:
    """Where the sources of a program are and how they become a binary."""

    def __init__(self, package, versions, root, sources, flags=(), libraries=(), is_cxx=False, includes=("",), other=None):
        self.package = package
        self.versions = versions
        self.root = root
        self.sources = sources
        self.flags = list(flags)
        self.libraries = list(libraries)
        self.is_cxx = is_cxx
        self.includes = includes
        self.other = other  # (package, version, its sources) that all versions use


PROGRAMS = {
    "sqlite": Program(
        "better-sqlite3", {"3.46.0": "11.0.0", "3.46.1": "11.3.0", "3.50.4": "12.4.1", "3.53.4": "13.0.3"}, "deps/sqlite3",
        ["sqlite3.c"], ["-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION", "-DSQLITE_ENABLE_FTS5", "-DSQLITE_ENABLE_RTREE",
                        "-DSQLITE_ENABLE_MATH_FUNCTIONS", "-DSQLITE_DQS=0"], ["-lm"]),
    # Exceptions are off: a call that may throw ends a block, which callgrind does not know.
    "re2": Program(
        "re2", {"1.11.0": "1.11.0", "1.17.8": "1.17.8"}, "vendor",
        [*(f"re2/{name}.cc" for name in ("bitstate", "compile", "dfa", "filtered_re2", "mimics_pcre", "nfa", "onepass", "parse",
                                         "perl_groups", "prefilter", "prefilter_tree", "prog", "re2", "regexp", "set", "simplify",
                                         "stringpiece", "tostring", "unicode_casefold", "unicode_groups")),
         "util/rune.cc", "util/strutil.cc"], ["-std=c++17", "-fno-exceptions", "-DNDEBUG", "-w"], ["-pthread"], is_cxx=True),
    "tree-sitter": Program(
        "tree-sitter", {version: version for version in ("0.20.0", "0.21.1", "0.25.0")}, "vendor/tree-sitter/lib", ["src/lib.c"],
        ["-std=gnu11", "-DNDEBUG", "-w"], includes=("include", "src"),
        other=("tree-sitter-javascript", "0.19.0", ["src/parser.c", "src/scanner.c"])),
}


def run(command, **options):
    """Runs the command without a word, or says what it said."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
                          check=False, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout[-4000:]}")
    return done.stdout


def fetch(package, version):
    """The folder with the contents of an npm package."""
    folder = f"{CACHE}/sources/{package}-{version}"
    if not os.path.isdir(folder):
        if not shutil.which("npm"):
            raise RuntimeError(f"npm is not installed; the sources of {package} come with it")
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        with tempfile.TemporaryDirectory(dir=os.path.dirname(folder)) as tmp:
            run(["npm", "pack", "--loglevel=error", f"{package}@{version}"], cwd=tmp)
            archive = next(name for name in os.listdir(tmp) if name.endswith(".tgz"))
            os.mkdir(f"{tmp}/package")
            run(["tar", "xzf", archive, "-C", "package", "--strip-components=1"], cwd=tmp)
            os.replace(f"{tmp}/package", folder)
    return folder


def make(path, maker):
    """The path, after maker has written the file if there was none."""
    if not os.path.exists(path):
        with bolt.Made(path) as partial:
            maker(partial)
        print(f"made {os.path.relpath(path, CACHE)}", flush=True)
    return path


def build(program, variant, out):
    version, compiler, level, kind = variant.split("-")
    p = PROGRAMS[program]
    root = f"{fetch(p.package, p.versions[version])}/{p.root}"
    workload = f"{HERE}/workloads/{program}.{'cc' if p.is_cxx else 'c'}"
    sources = [f"{root}/{source}" for source in p.sources]
    includes = [f"{root}/{folder}" for folder in p.includes]
    if p.other:
        package, other_version, others = p.other
        other_root = fetch(package, other_version)
        sources += [f"{other_root}/{source}" for source in others]
        includes.append(f"{other_root}/src")
    run([COMPILERS[compiler][p.is_cxx], f"-{level}", *FLAGS[compiler], *KINDS[kind], *p.flags,
         *(f"-I{folder}" for folder in includes), workload, *sources,
         *p.libraries, "-Wl,--emit-relocs", "-o", out])


def remove_names(binary, out):
    """Each function is called f_ADDRESS, but for those that a tool looks for."""
    names, aliases = {}, collections.Counter()
    for line in text_of("readelf", "-sW", binary).splitlines():
        fields = line.split()
        if len(fields) < 8 or fields[3] != "FUNC" or fields[6] == "UND" or fields[7] in KEPT_NAMES | names.keys():
            continue
        address = int(fields[1], 16)
        aliases[address] += 1
        names[fields[7]] = f"f_{address:x}" + (f"_{aliases[address]}" if aliases[address] > 1 else "")
    with tempfile.NamedTemporaryFile("w", suffix=".syms", encoding="utf-8") as f:
        f.writelines(f"{old} {new}\n" for old, new in sorted(names.items()))
        f.flush()
        run(["objcopy", f"--redefine-syms={f.name}", binary, out])


def record(binary, out):
    run([*CALLGRIND, f"--callgrind-out-file={out}", binary])


def ensure_yaml(folder, version="22"):
    """The true profile as a version of BOLT writes it, which checks it: a wrong record invalidates a function."""
    path = f"{folder}/true.yaml" if version == "22" else f"{folder}/true-{version}.yaml"
    if not os.path.exists(path):
        with bolt.Made(path) as partial:
            bolt.write_yaml(version, f"{folder}/bin", f"{folder}/true.fdata", partial)
            invalid = bolt.invalid_functions(f"{partial}.log")
            os.replace(f"{partial}.log", f"{path}.log")
            if invalid:
                raise RuntimeError(f"{folder}/true.fdata: BOLT {version} says that {invalid} functions are invalid")
        print(f"made {os.path.relpath(path, CACHE)}", flush=True)
    return path


def ensure(program, variant):
    """The folder of the variant with all its files."""
    folder = f"{CACHE}/{program}/{variant}"
    os.makedirs(folder, exist_ok=True)
    binary, profile = f"{folder}/bin", f"{folder}/callgrind.out"
    if variant.endswith("-rn"):
        named = ensure(program, variant.removesuffix("-rn"))
        make(binary, lambda out: remove_names(f"{named}/bin", out))
        if not os.path.islink(profile):
            os.symlink(os.path.relpath(f"{named}/callgrind.out", folder), profile)
    else:
        make(binary, lambda out: build(program, variant, out))
        make(profile, lambda out: record(binary, out))
    make(f"{folder}/true.fdata", lambda out: write_fdata(binary, profile, out))
    for version in bolt.VERSIONS:
        if bolt.is_there(version):
            ensure_yaml(folder, version)
    return folder

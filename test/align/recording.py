# SPDX-License-Identifier: MIT
"""What the tests of alignment know of a recording: instructions, signals, modules and source lines."""
import bisect
import json
import os
import struct
import subprocess

TWINRUN = os.environ["TWINRUN"]
ALL = os.environ.get("TWINRUN_TEST_ALL") == "1"
HERE = os.path.dirname(os.path.abspath(__file__))
PREFIXES = ("rep", "repe", "repne", "repz", "repnz", "bnd", "notrack", "lock", "data16", "xacquire", "xrelease")


class Failure(Exception):
    """A test has failed; the text says how."""


def run(command, **how):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, **how)
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)}: exit status {done.returncode}: "
                      + done.stderr.decode(errors="replace").strip())
    return done.stdout.decode(errors="replace")


def record(path, command, stdin=b"", env=None, cwd=None):
    """Records the command; its exit status does not matter."""
    done = subprocess.run([TWINRUN, "record", "-q", "--force", "-o", path, "--"] + command, input=stdin,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, cwd=cwd, check=False)
    if not os.path.exists(path):
        raise Failure(f"cannot record {command}: " + done.stderr.decode(errors="replace"))
    return done.stdout


def align(a, b, loops="number", regions=True):
    """The object that `align --json` prints. Runs that differ give exit status 1. Of long runs that are paired by number
    regions are a hundred thousand, which have places to be named."""
    listed = ["--regions", "--limit", "0"] if regions else []
    command = [TWINRUN, "align", *listed, "--json", f"--pair-loops={loops}", a, b]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode not in (0, 1):
        raise Failure(f"{' '.join(command)}: exit status {done.returncode}: "
                      + done.stderr.decode(errors="replace").strip())
    return json.loads(done.stdout)


class Executed:
    """An executed instruction."""
    __slots__ = ("address", "size", "flow", "repeats", "module", "function", "offset", "text")

    def __init__(self, row):
        self.address = row["address"]
        self.size = len(row["bytes"]) // 2
        self.module = row["module"]
        self.function = row["function"]
        self.offset = row["offset"]  # in the function, or in the file
        self.text = row["text"]
        words = self.text.split()
        first = words[0]
        while words[0] in PREFIXES and len(words) > 1:
            words = words[1:]
        name = words[0]
        self.repeats = first != name and first.startswith("rep") and name != "ret"
        if name in ("call", "ret", "syscall", "jmp"):
            self.flow = name
        elif name[0] == "j" or name.startswith("loop") or name == "xbegin":
            self.flow = "branch"
        else:
            self.flow = ""


class Module:
    """A mapped ELF file: where it lies in memory and which addresses are stubs of its linkage table."""

    def __init__(self, path, base):
        self.path = path
        with open(path, "rb") as f:
            image = f.read()
        phoff, shoff = struct.unpack_from("<QQ", image, 32)
        phentsize, phnum, shentsize, shnum, shstrndx = struct.unpack_from("<HHHHH", image, 54)
        loads = []
        for i in range(phnum):
            kind, _, _, vaddr = struct.unpack_from("<IIQQ", image, phoff + i * phentsize)
            if kind == 1:
                loads.append(vaddr)
        self.bias = base - (min(loads) & ~0xfff)
        self.stubs = []
        sections = [struct.unpack_from("<IIQQQQ", image, shoff + i * shentsize) for i in range(shnum)]
        names = sections[shstrndx][4] if shnum else 0
        for name, _, _, address, _, size in sections:
            end = image.index(b"\0", names + name)
            if image[names + name:end] in (b".plt", b".plt.got", b".plt.sec", b".iplt"):
                self.stubs.append((address, address + size))

    def is_stub(self, address):
        return any(a <= address < b for a, b in self.stubs)


class Recording:
    """One thread of a recorded process, as `dump` prints it."""

    def __init__(self, path, process=1, thread=1):
        self.path = path
        self.where = ["--process", str(process), "--thread", str(thread)]
        self.trace = []
        cache = {}
        for line in self.dump("--instructions"):
            # Of each place one object: recordings have few of them and execute them often.
            key = line[line.index('"address"'):]
            if key not in cache:
                cache[key] = Executed(json.loads(line))
            self.trace.append(cache[key])
        self.signals = {}
        bases = {}
        for line in self.dump("--events", whole=True):
            row = json.loads(line)
            fields = {f["name"]: f["value"] for f in row["fields"]}
            if row["kind"] == "signal" and row["thread"] == thread and fields.get("handled") == "yes":
                self.signals[row["step"]] = (fields["signal"], int(fields["pc"], 16))
            elif row["kind"] == "map" and fields.get("kind") == "file" and fields["path"] not in bases:
                bases[fields["path"]] = int(fields["address"], 16)
        self.modules = {path: Module(path, base) for path, base in bases.items() if self.is_elf(path)}

    def dump(self, what, *flags, whole=False):
        where = self.where[:2] if whole else self.where
        lines = run([TWINRUN, "dump", what, "--json", *where, *flags, self.path]).splitlines()
        return lines[1:]

    @staticmethod
    def is_elf(path):
        with open(path, "rb") as f:
            return f.read(4) == b"\x7fELF"

    def stack_pointer(self, step):
        """rsp when that many instructions have been executed, from the last of them that wrote it."""
        for line in reversed(self.dump("--instructions", "--values", "--range",
                                       f"{max(0, step - 16)}..{step}")):
            for written in json.loads(line)["writes"]:
                if written["what"] == "rsp" and written["value"] is not None:
                    return int(written["value"], 16)
        raise Failure(f"{self.path}: no instruction before {step} writes rsp")


class Lines:
    """Source lines of a binary without position independence, by binutils."""

    def __init__(self, binary, source):
        self.source = os.path.basename(source)
        self.rows = []
        for line in run(["objdump", "--dwarf=decodedline", "-w", binary]).splitlines():
            words = line.split()
            if len(words) < 3 or not words[2].startswith("0x"):
                continue
            # Those without a line end a sequence.
            number = int(words[1]) if words[1].isdigit() else 0
            self.rows.append((int(words[2], 16), words[0], number))
        self.rows.sort(key=lambda row: (row[0], row[2] != 0))
        self.starts = [row[0] for row in self.rows]

    def at(self, address):
        """The line of the source; 0: not of it."""
        i = bisect.bisect_right(self.starts, address) - 1
        if i < 0 or self.rows[i][2] == 0 or os.path.basename(self.rows[i][1]) != self.source:
            return 0
        return self.rows[i][2]

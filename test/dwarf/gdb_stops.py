# SPDX-License-Identifier: MIT
"""Runs inside gdb: stops a program at random lines and compares its variables with the probe's.

Takes PROBE, BINARY, STOPS and SEED from the environment; prints one line of JSON.
"""
import collections
import json
import os
import random
import re
import struct
import subprocess

import gdb

BINARY = os.environ["BINARY"]
REGISTERS = "rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip".split()
SCALARS = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_ENUM)
RECORDS = (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION, gdb.TYPE_CODE_ARRAY)
counts = collections.Counter()
examples = collections.defaultdict(list)


def symbol_address(name):
    for line in subprocess.run(["nm", BINARY], capture_output=True, text=True, check=True).stdout.split("\n"):
        if line.endswith(" " + name):
            return int(line.split()[0], 16)
    raise KeyError(name)


def fail(kind, *facts):
    counts[kind] += 1
    if len(examples[kind]) < 6:
        examples[kind].append(" | ".join(str(f) for f in facts))


def in_scope(frame):
    """(symbol, frame) of each name that is visible, the frames that were inlined included."""
    seen = set()
    while frame is not None:
        block = frame.block()
        while block is not None and not block.is_static and not block.is_global:
            for symbol in block:
                if (symbol.is_variable or symbol.is_argument) and symbol.name not in seen:
                    seen.add(symbol.name)
                    yield symbol, frame
            if block.function is not None:
                break
            block = block.superblock
        if frame.type() != gdb.INLINE_FRAME:
            break
        frame = frame.older()
    block = gdb.selected_frame().block().static_block
    while block is not None:
        for symbol in block:
            if symbol.is_variable and symbol.name not in seen and symbol.symtab.filename.endswith("workload.c"):
                seen.add(symbol.name)
                yield symbol, frame
        block = block.superblock


def shown(symbol, frame):
    """What gdb knows about a variable: its kind and value; None when it knows no value."""
    try:
        value = symbol.value(frame)
        value.fetch_lazy()
        if value.is_optimized_out:
            return None
        bare = value.type.strip_typedefs()
        if bare.code in SCALARS:
            return "scalar", value.format_string()
        if bare.code == gdb.TYPE_CODE_FLT:
            return "float", float(value)
        if bare.code == gdb.TYPE_CODE_PTR:
            return (None if "synthetic" in value.format_string() else ("pointer", int(value)))
        if bare.code in RECORDS:
            if "optimized out" in value.format_string() or "synthetic" in value.format_string():
                return None
            return "record", value.address if value.address is None else int(value.address)
    except (gdb.error, ValueError, OverflowError, RuntimeError):
        return None
    return None


def is_same_type(want, got):
    """Blanks aside, and gdb knows the bounds of arrays that are fixed at run time."""
    want, got = want.replace(" ", ""), got.replace(" ", "")
    return want == got or ("[]" in got and re.sub(r"\[\d*\]", "[]", want) == re.sub(r"\[\d*\]", "[]", got))


def is_same(want, where, text):
    kind, value = want
    if kind == "scalar":
        return text == value
    if kind == "float":
        try:
            mine = float(text)
            # The shortest text of a float is that of another double.
            return mine == value or struct.pack("f", mine) == struct.pack("f", value) or value != value != mine
        except (ValueError, OverflowError):
            return False
    if kind == "pointer":
        return text.split(" ")[0] == hex(value & (2**64 - 1))
    if value is None:
        return where == "-" and not text.startswith("<")
    return where == f"{value:x}"


def is_entry_value(symbol, frame):
    """gdb 13 takes the caller's registers from the wrong frame when an inlined function's variable is
    an entry value; in the frame around it, it shows the right one as NAME@entry."""
    if frame.type() != gdb.INLINE_FRAME:
        return False
    frame.select()
    where = gdb.execute("info address " + symbol.name, to_string=True)
    gdb.newest_frame().select()
    return "entry_value" in where


def compare(ask):
    frame = gdb.newest_frame()
    for number, name in enumerate(REGISTERS):
        ask.stdin.write(f"reg {number:x} {int(frame.read_register(name)) & (2**64 - 1):x}\n")
    for number in range(16):
        low = int(frame.read_register(f"xmm{number}")["v2_int64"][0]) & (2**64 - 1)
        ask.stdin.write(f"reg {17 + number:x} {low:x}\n")
    ask.stdin.write(f"at {frame.pc():x}\n")
    ask.stdin.flush()
    ours = {}
    for line in iter(ask.stdout.readline, ""):
        line = line.rstrip("\n")
        if line == "end":
            break
        if line.startswith("var "):
            name, kind, where, text = line[4:].split("|", 3)
            ours[name] = (kind, where, text)
        else:
            compare_name(line)
    else:
        raise RuntimeError("the probe has ended")
    place = f"{frame.name()} {frame.pc():#x}"
    for symbol, its_frame in in_scope(frame):
        want = shown(symbol, its_frame)
        if want is None:
            # gdb knows nothing; what we say then must not be more than a guess could be.
            if symbol.name in ours and not ours[symbol.name][2].startswith("<"):
                fail("only ours", place, symbol.name, *ours[symbol.name])
            continue
        counts["variables"] += 1
        if symbol.name not in ours:
            fail("missing", place, symbol.name, want)
            continue
        kind, where, text = ours[symbol.name]
        if not is_same_type(str(symbol.type), kind):
            fail("other type", place, symbol.name, symbol.type, kind)
        if is_same(want, where, text):
            counts["equal"] += 1
        elif text.startswith("<"):
            fail("unavailable", place, symbol.name, want, text)
        elif is_entry_value(symbol, its_frame):
            fail("gdb errs", place, symbol.name, want, where, text)
        else:
            fail("other value", place, symbol.name, want, where, text)


def compare_name(line):
    """A name that we gave to memory must lead gdb to the same memory."""
    address, size, rest = line[5:].split(" ", 2)
    text, back = rest.rsplit("|", 1)
    if text == "-":
        counts["unnamed"] += 1
        return
    counts["named"] += 1
    if back == "-" or not 0 <= int(address, 16) - int(back, 16) < 16:
        fail("not resolved", line)
    frame = gdb.newest_frame()
    try:
        while True:
            try:
                frame.select()
                value = gdb.parse_and_eval(text)
                if value.is_optimized_out:
                    return
                begin = int(value.address)
                is_whole = value.type.strip_typedefs().code not in RECORDS or value.type.sizeof == int(size)
                if begin <= int(address, 16) < begin + value.type.sizeof and is_whole:
                    return
                problem = hex(begin)
            except (gdb.error, ValueError, TypeError) as error:
                problem = str(error)
                if "optimized out" in problem or "bit-field" in problem:
                    return
            # The name may be of the function that this one was inlined into.
            if frame.type() != gdb.INLINE_FRAME:
                fail("other name", line, problem)
                return
            frame = frame.older()
            counts["names of outer frames"] += 1
    finally:
        gdb.newest_frame().select()


def main():
    for setting in ("pagination off", "confirm off", "print repeats 0", "print elements 0",
                    "disable-randomization on", "debuginfod enabled off", "print symbol off",
                    # It would copy arrays that are in no memory into memory of the program.
                    "may-call-functions off"):
        gdb.execute("set " + setting)
    gdb.execute("break main", to_string=True)
    gdb.execute("run 1 >/dev/null", to_string=True)
    bias = int(gdb.parse_and_eval("(long)&main")) - symbol_address("main")
    tls = int(gdb.parse_and_eval("(long)&per_thread"))  # the only one, so at offset 0
    gdb.execute("delete")
    chooser = random.Random(int(os.environ["SEED"]))
    rows = set()
    for table in {gdb.selected_frame().find_sal().symtab} | {
            s.symtab for n in ("stbi_load_from_memory", "stbiw__outfile", "stbsp_vsprintfcb", "stbds_hmput_key",
                               "stb_c_lexer_get_token", "stbrp_pack_rects", "stbir_resize_uint8", "stbi_zlib_compress")
            for s in [gdb.lookup_global_symbol(n) or gdb.lookup_static_symbol(n)] if s is not None}:
        rows |= {row.pc for row in table.linetable() if row.line > 0}
    rows = sorted(rows)
    chooser.shuffle(rows)
    for pc in rows[:int(os.environ["STOPS"]) * 3]:
        gdb.Breakpoint(f"*{pc:#x}", temporary=True)
    ask = subprocess.Popen([os.environ["PROBE"], BINARY, str(gdb.selected_inferior().pid), f"{bias:x}", f"{tls:x}"],
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    while counts["stops"] < int(os.environ["STOPS"]):
        gdb.execute("continue", to_string=True)
        if not gdb.selected_inferior().pid:
            break
        counts["stops"] += 1
        compare(ask)
    ask.stdin.close()
    gdb.execute("kill", to_string=True)
    print("RESULT " + json.dumps({"counts": counts, "examples": examples}))


try:
    main()
except Exception as problem:  # pylint: disable=broad-except
    import traceback
    traceback.print_exc()
    print("FAILED", problem)

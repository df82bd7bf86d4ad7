#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plants wrong machine code into the computation of values and demands that it is noticed.

usage: native_mutants.py BUILD

Each mutant is a change of one place in native.cc; it is compiled by the build's own command and linked with
values_engines, which compares both engines on programs of random instructions. Native code that is so wrong
that it crashes is found too. TWINRUN_TEST_ALL=1 tries all mutants instead of three that are drawn by
TWINRUN_TEST_SEED (1); at least 95 % must be found.
"""
import json
import os
import random
import shlex
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import mutants  # noqa: E402
import random_code  # noqa: E402
import random_programs  # noqa: E402

ALL = os.environ.get("TWINRUN_TEST_ALL") == "1"
DRAWN = 3
FLOOR = 95.0
RANDOM_PROGRAMS = 40

# (what, text in native.cc, what it becomes)
CHANGES = [
    ("add of a constant subtracts", "case Form::kAdd: add(to, value);", "case Form::kAdd: sub(to, value);"),
    ("subtraction adds", "case Form::kSub: sub(to, from);", "case Form::kSub: add(to, from);"),
    ("and is or", "case Form::kAnd: and_(to, from);", "case Form::kAnd: or_(to, from);"),
    ("multiplication adds", "default: imul(to, from);", "default: add(to, from);"),
    ("less is signed", "case Form::kLessU: setb(al);", "case Form::kLessU: setl(al);"),
    ("less or equal is less", "default: setbe(al);", "default: setb(al);"),
    ("equal is not equal", "case Form::kEqual: sete(al);", "case Form::kEqual: setne(al);"),
    ("comparison of 32 bits compares 64", "cmp(eax, ecx);", "cmp(rax, rcx);"),
    ("choice inverted", "cmovz(rax, rcx);", "cmovnz(rax, rcx);"),
    ("no sign extension from 32 bits", "movsxd(rax, eax);\n        break;", "mov(eax, eax);\n        break;"),
    ("no sign extension from bytes", "movsx(eax, al);", "movzx(eax, al);"),
    ("loads of 16 bits load 8", "movzx(eax, word[from]);", "movzx(eax, byte[from]);"),
    ("bytes not cleared above", "if (bits == 8)\n      movzx(eax, al);", "if (bits == 8)\n      movsx(eax, al);"),
    ("shift right is arithmetic", "    else\n      shr(to, cl);", "    else\n      sar(to, cl);"),
    ("shift by a constant is logical", "sar(to, static_cast<int>(count));", "shr(to, static_cast<int>(count));"),
    ("shift left is right", "shl(to, cl);", "shr(to, cl);"),
    ("product: upper word wrong", "mov(ptr[arena(op.dst + 8)], rdx);", "mov(ptr[arena(op.dst + 8)], rax);"),
    ("product of words is signed", "mul(rcx);\n      else", "imul(rcx);\n      else"),
    ("or of vectors is and", "por(xmm0, xmm1);", "pand(xmm0, xmm1);"),
    ("xor of vectors is or", "pxor(xmm0, xmm1);", "por(xmm0, xmm1);"),
    ("upper word of a vector not cleared", "mov(qword[arena(op.dst + 8)], 0);", "nop();"),
    ("a held value survives a call", "call(rax);\n    held_ = kNothing;", "call(rax);"),
    ("stores of 16 bits write 32", "else if (bytes == 2)\n      mov(ptr[to], ax);", "else if (bytes == 2)\n      mov(ptr[to], eax);"),
    ("vectors copied by half", "movups(ptr[arena(op.dst + i)], xmm0);\n      }\n      return;", "movlps(ptr[arena(op.dst + i)], xmm0);\n      }\n      return;"),
    ("side exits inverted", "jz(slow_path(disagree), T_NEAR);", "jnz(slow_path(disagree), T_NEAR);"),
    ("upper half too far", "shr(rax, how.bits);\n        if", "shr(rax, how.bits / 2);\n        if"),
    ("halves joined the other way", "get(rcx, op.b);\n        get(rax, op.a);\n        shl(rax, how.bits);", "get(rcx, op.a);\n        get(rax, op.b);\n        shl(rax, how.bits);"),
    ("predictor too small", "mov(ecx, eax);\n    and_(ecx, kPredictorMask);", "mov(ecx, eax);\n    and_(ecx, kPredictorMask >> 9);"),
]


def commands(build):
    """How native.cc is compiled and values_engines linked."""
    with open(build + "/compile_commands.json", encoding="utf-8") as f:
        entry = next(e for e in json.load(f) if e["file"].endswith("regen/native.cc"))
    link = subprocess.run(["ninja", "-C", build, "-t", "commands", "-s", "test/values_engines"], stdout=subprocess.PIPE,
                          check=True).stdout.decode()
    return entry, next(part for part in link.split("&&") if "-o test/values_engines" in part)


def build_mutant(entry, link, build, source, tmp):
    words = shlex.split(entry["command"])
    words[words.index("-o") + 1] = tmp + "/native.o"
    words[words.index(entry["file"])] = source
    # Precompiled headers belong to the build's own objects.
    words = [w for w in words if "cmake_pch" not in w and w not in ("-include", "-Winvalid-pch")]
    subprocess.run(words, cwd=entry["directory"], check=True)
    out = tmp + "/engines"
    words = shlex.split(link)
    words[words.index("-o") + 1] = out
    # In front of the library, whose own object is not taken then.
    first = next(i for i, w in enumerate(words) if w.endswith(".a"))
    words.insert(first, tmp + "/native.o")
    subprocess.run(words, cwd=build, check=True)
    return out


def main():
    build = os.path.abspath(sys.argv[1])
    entry, link = commands(build)
    with open(entry["file"], encoding="utf-8") as f:
        text = f.read()
    seed = int(os.environ.get("TWINRUN_TEST_SEED", 1))
    chosen = CHANGES if ALL else random.Random(seed).sample(CHANGES, DRAWN)
    print(f"seed {seed}")
    found = 0
    with tempfile.TemporaryDirectory(prefix="twinrun-native-") as tmp:
        traces = []
        for i in range(1, RANDOM_PROGRAMS + 1):
            with open(tmp + "/t.s", "w", encoding="ascii") as f:
                f.write(random_code.program(random.Random(i), random_programs.cpu_features(),
                                            random_programs.INSTRUCTIONS, 3))
            subprocess.run(["gcc", "-nostdlib", "-static", "-no-pie", "-o", "t", "t.s"], cwd=tmp, check=True)
            traces.append(mutants.record(tmp + "/t", f"{tmp}/{i}.twin"))
        for trace in traces:
            subprocess.run([build + "/test/values_engines", trace], stdout=subprocess.DEVNULL, check=True)
        for what, right, wrong in chosen:
            if text.count(right) != 1:
                sys.exit(f"'{right}' stands {text.count(right)} times in native.cc, not once")
            with open(tmp + "/native.cc", "w", encoding="utf-8") as f:
                f.write(text.replace(right, wrong))
            engines = build_mutant(entry, link, build, tmp + "/native.cc", tmp)
            is_found = any(subprocess.run([engines, t], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                          check=False).returncode != 0 for t in traces)
            found += is_found
            print(f"{'found ' if is_found else 'MISSED'} {what}", flush=True)
    share = 100.0 * found / len(chosen)
    print(f"{found} of {len(chosen)} mutants of native.cc found, {share:.1f} %")
    sys.exit(0 if share >= FLOOR else 1)


if __name__ == "__main__":
    main()

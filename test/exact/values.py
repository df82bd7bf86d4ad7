#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The registers that `dump --values` shows equal those of hardware single-stepping.

The programs and the stepper are those of steps.py: without a C library, so that nothing depends on
the CPU's features. Every general register that an instruction reads or writes is compared, in front
of the instruction and behind it. Addresses on the stack are compared by their distance from the
stack pointer. What twinrun does not know ("?") is counted; there may be few.

usage: values.py [NAME...]
"""
import json
import os
import struct
import subprocess
import sys
import tempfile

from steps import FLAGS, HERE, TWINRUN, build

ORDER = ["rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", *(f"r{n}" for n in range(8, 16))]
# Signal frames and the kernel's leftovers in registers differ under Valgrind.
LEFT_OUT = {"signals", "deadly", "syscalls", "self-modifying", "avx2"}
MOST_STEPS = 6000
STACK = 1 << 23


def same(native, native_sp, ours, our_sp):
    """Pointers to the stack are equal when they are as far from its top."""
    if native == ours:
        return True
    def distance(value, sp):
        return (value - sp) & (1 << 64) - 1
    far = distance(native, native_sp)
    return far == distance(ours, our_sp) and (far < STACK or far > (1 << 64) - STACK)


def main():
    names = sys.argv[1:]
    compared = unknown = wrong = 0
    with tempfile.TemporaryDirectory(prefix="twinrun-exact-") as tmp:
        stepper = build(HERE + "/stepper.c", tmp + "/stepper", ["-O2", "-Wall"])
        for source in sorted(os.listdir(HERE + "/programs")):
            name, ext = os.path.splitext(source)
            if ext != ".c" or (name not in names if names else name in LEFT_OUT):
                continue
            for level in ("-O0", "-O2"):
                program = build(f"{HERE}/programs/{source}", f"{tmp}/{name}{level}", [level, "-g", *FLAGS])
                subprocess.run([stepper, program], check=False, capture_output=True,
                               env={"STEPPER_REGISTERS": tmp + "/registers"})
                with open(tmp + "/registers", "rb") as f:
                    steps = list(struct.iter_unpack("<16Q", f.read(128 * (MOST_STEPS + 1))))
                trace = f"{tmp}/{name}{level}.twin"
                subprocess.run([TWINRUN, "record", "-o", trace, "--", program], check=False,
                               stdout=subprocess.DEVNULL)
                dump = subprocess.run([TWINRUN, "dump", "--values", "--json", "--limit", str(MOST_STEPS - 1),
                                       trace], check=True, capture_output=True, text=True).stdout
                rows = [json.loads(l) for l in dump.splitlines()[1:]]
                # Where our stack pointer is, is known from the pushes and pops as they come.
                our_sp = None
                bad = []
                for row in rows:
                    for side, at in (("reads", row["step"]), ("writes", row["step"] + 1)):
                        if at >= len(steps):
                            continue
                        values = {v["what"]: v["value"] for v in row[side] if v["what"] in ORDER}
                        if values.get("rsp"):
                            our_sp = int(values["rsp"], 16)
                        for register, value in values.items():
                            if value is None:
                                unknown += 1
                                continue
                            # The decoder does not say that enter moves the stack pointer.
                            if row["text"].startswith(("enter", "leave")):
                                continue
                            native = steps[at][ORDER.index(register)]
                            native_sp = steps[at][4]
                            compared += 1
                            if not same(native, native_sp, int(value, 16), our_sp if our_sp is not None else native_sp):
                                bad.append(f"step {row['step']} {row['text']}: {register} {side} {value}, "
                                           f"natively {native:#x}")
                wrong += len(bad)
                print(f"{'FAIL' if bad else 'ok  '} {name} {level}: {len(rows)} instructions", *bad[:5], sep="\n  "
                      if bad else " ", flush=True)
    print(f"{compared} registers compared, {wrong} differ, {unknown} unknown")
    sys.exit(1 if wrong or compared == 0 or unknown * 20 > compared else 0)


if __name__ == "__main__":
    main()

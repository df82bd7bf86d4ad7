#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Aligns two runs by the definition: the structural index of every executed instruction is written
down in full, and instructions are aligned whose indices occur in both runs.

An index is the stack of what is under way and the address of the instruction. The rules, after
figure 8 of "Memory indexing and its use in cause transition computation":
 1. a call pushes (site, callee) and begins a frame; what returns, or leaves frames behind, pops it;
 2. a predicate, a block with several successors, pushes (predicate, where it led to);
 3. a block pops the entries of its frame that wait for it: those of the predicates that it is the
    immediate post-dominator of, and all above them;
 4. a predicate that has an entry in its frame already pops what is above that one and counts there
    instead (loops).
Beyond the figure:
 - a jump to another function ends what the function had under way and pushes (site, callee); stubs of
   the linkage table hand the entry of their caller on to the function;
 - a signal pushes its number, and begins a frame;
 - where an exception or longjmp continues, an entry is pushed (the block that had called, this block)
   that waits for where both would meet;
 - a loop that nothing leaves has no predicate: its header counts the rounds;
 - a rep-prefixed instruction that repeats counts.

usage: naive.py A B: compares two recordings with what `twinrun align` says
       naive.py --self A B: only prints how much is aligned, and checks that indices are unique
"""
import sys

from graphs import EXIT, Code
from recording import Failure, Recording, align


class Frame:
    def __init__(self, base, step, returns, handler=False):
        self.base = base        # its first entry on the stack
        self.step = step        # of its first instruction
        self.returns = returns  # the address behind the call
        self.handler = handler  # of a signal: returns to code that nobody called from
        self.node = None        # the block that it has executed last
        self.function = None
        self.loader = False     # the function is being looked for


class Indexer:
    """Walks over one run and gives each of its instructions an index."""

    def __init__(self, code, recording, marks=()):
        self.code = code
        self.recording = recording
        self.marks = list(marks)  # (step, site, jump): numbers that are left out, from that step on
        self.step = 0
        self.stack = []  # [kind, site, outcome, count, until]
        self.frames = [Frame(0, 0, None)]
        self.places = {}
        self.indices = []
        self.path = ()

    def place(self, at):
        """The function, the node and whether it begins or ends here; nodes are known by module and
        address in the file."""
        if at not in self.places:
            module = self.recording.modules.get(at.module)
            address = at.address - (module.bias if module else 0)
            function = self.code.function_at(at.module, address) if module else None
            block = function.block_at(address) if function else None
            if block:
                found = (function, block, (at.module, block.start), address == block.start,
                         address + at.size == block.end)
            else:
                # Unknown code: every instruction is a block, which only the function's end post-dominates.
                found = ((at.module, at.function), None, (at.module, address), True, True)
            self.places[at] = found
        return self.places[at]

    def run(self):
        trace = self.recording.trace
        repeated = 0
        for step, at in enumerate(trace):
            before = trace[step - 1] if step else None
            self.step = step
            if step in self.recording.signals:
                self.signal(step, before)
            elif before:
                self.transfer(step, before, at)
            repeated = repeated + 1 if before is at and at.repeats else 0
            function, block, node, begins, _ = self.place(at)
            frame = self.frames[-1]
            frame.function = function
            if begins and not repeated:
                self.reach(node)
                if block and block.endless:
                    self.count_or_push("loop", node, None, EXIT)
            frame.node = node
            self.indices.append((self.path, repeated, node, at.address - self.bias(at)))
        return self.indices

    def bias(self, at):
        module = self.recording.modules.get(at.module)
        return module.bias if module else 0

    def changed(self):
        self.path = tuple((kind, site, outcome, count) for kind, site, outcome, count, _ in self.stack)

    def push(self, kind, site, outcome, until=EXIT):
        self.stack.append([kind, site, outcome, 1, until])
        self.changed()

    def count_or_push(self, kind, site, outcome, until):
        self.count_once(kind, site, outcome, until)
        if self.marks and kind in ("branch", "loop"):
            step, address, jump = self.marks[0]
            if step <= self.step and site[1] == address:
                del self.marks[0]
                self.stack[-1][3] += jump
                self.changed()

    def count_once(self, kind, site, outcome, until):
        """A loop's entry is counted up; what was above it belonged to the round before."""
        for i in range(self.frames[-1].base, len(self.stack)):
            if self.stack[i][:2] == [kind, site]:
                del self.stack[i + 1:]
                self.stack[i][2] = outcome
                self.stack[i][3] += 1
                self.changed()
                return
        self.push(kind, site, outcome, until)

    def reach(self, node):
        for i in range(self.frames[-1].base, len(self.stack)):
            if self.stack[i][4] == node:
                del self.stack[i:]
                self.changed()
                return

    def leave(self, frame):
        """Pops the frames above that one."""
        while self.frames[-1] is not frame:
            del self.stack[self.frames.pop().base - 1:]
        self.changed()

    def signal(self, step, before):
        name, pc = self.recording.signals[step]
        if before and before.address != pc:
            # The instruction before was completed: if it is a predicate, it leads to pc.
            for at in self.recording.trace[:step]:
                if at.address == pc:
                    self.decide(before, at)
                    break
        self.push("signal", name, None)
        self.frames.append(Frame(len(self.stack), step, None, handler=True))

    def decide(self, before, at):
        """From one block of a function to another: a predicate's outcome."""
        _, block, node, _, ends = self.place(before)
        if block is None:
            if before.flow in ("branch", "jmp"):
                self.count_or_push("branch", node, self.place(at)[2], EXIT)
        elif ends and block.is_predicate:
            until = EXIT if block.until is EXIT else (before.module, block.until)
            self.count_or_push("branch", node, self.place(at)[2], until)

    def transfer(self, step, before, at):
        if before.flow == "call":
            self.push("call", self.place(before)[2], self.place(at)[2])
            self.frames.append(Frame(len(self.stack), step, before.address + before.size))
        elif before.flow == "ret":
            self.return_to(step, at)
        elif before.flow == "syscall" and at.address != before.address + before.size:
            # The end of a signal handler.
            for frame in reversed(self.frames):
                if frame.handler:
                    self.leave(frame)
                    self.frames.pop()
                    del self.stack[frame.base - 1:]
                    self.changed()
                    return
        else:
            self.go_on(step, before, at)

    def return_to(self, step, at):
        for frame in reversed(self.frames):
            if frame.returns == at.address:
                self.leave(frame)
                self.frames.pop()
                del self.stack[frame.base - 1:]
                self.changed()
                return
            if frame.handler:
                break
        frame = self.frames[-1]
        if frame.handler and not self.owner(step, at):
            # The handler is done; its frame remains for what returns from the signal.
            del self.stack[frame.base:]
            self.changed()
            return
        self.unwind(step, at)

    def go_on(self, step, before, at):
        frame = self.frames[-1]
        function = self.place(at)[0]
        if function is frame.function or function == frame.function:
            self.decide(before, at)
            return
        module = self.recording.modules.get(before.module)
        address = at.address - self.bias(at)
        stub = module is not None and module.is_stub(before.address - module.bias)
        if frame.loader and before.flow == "jmp" and getattr(frame.function, "name", "") == frame.loader:
            # Found: what the loader had under way is over.
            frame.loader = False
            while self.stack.pop()[0] != "loader":
                pass
            self.hand_on(at)
        elif stub and (at.function or "").startswith("_dl_runtime_resolve"):
            frame.loader = at.function
            self.push("loader", None, None)
        elif stub:
            self.hand_on(at)
        elif before.flow == "jmp" and address != getattr(function, "entry", address) and self.owner(step, at):
            self.unwind(step, at)
        else:
            self.tail(before, at)

    def hand_on(self, at):
        """The entry of the call, or jump, that led to a stub becomes that of the function."""
        self.stack[-1][2] = self.place(at)[2]
        self.changed()

    def tail(self, before, at):
        # What the function had under way is over; other such jumps remain.
        base = self.frames[-1].base
        kept = [entry for entry in self.stack[base:] if entry[0] == "tail"]
        self.stack[base:] = kept
        self.count_or_push("tail", self.place(before)[2], self.place(at)[2], EXIT)
        self.changed()

    def owner(self, step, at):
        """The frame that execution continues in at an instruction that nobody returns to."""
        function = self.place(at)[0]
        found = [f for f in self.frames[:-1] if f.function is function]
        if len(found) < 2:
            return found[0] if found else None
        now = self.recording.stack_pointer(step)
        for frame in reversed(found):
            if frame.step == 0 or now <= self.recording.stack_pointer(frame.step):
                return frame
        return None

    def unwind(self, step, at):
        frame = self.owner(step, at)
        if frame is None:
            raise Failure(f"{self.recording.path}: step {step}: nobody knows whence it came here")
        self.leave(frame)
        function, block, node, _, _ = self.place(at)
        until = EXIT
        if block:
            called = function.blocks.get(frame.node[1])
            # Where it would have gone on: behind the call.
            after = called.end if called and called.end in function.blocks else None
            met = function.meeting(after, block.start)
            until = EXIT if met is EXIT else (at.module, met)
        self.count_or_push("unwind", frame.node, node, until)


def unique(recording, indices):
    """The steps by index."""
    steps = {}
    for step, index in enumerate(indices):
        if index in steps:
            at = recording.trace[step]
            raise Failure(f"{recording.path}: steps {steps[index]} and {step} ({at.function} {at.address:#x} "
                          f"{at.text}) have one index: {show(index)}")
        steps[index] = step
    return steps


def show(index):
    path, repeated, _, address = index
    words = [f"{kind}:{f'{site[1]:x}' if isinstance(site, tuple) else site}"
             f">{f'{outcome[1]:x}' if outcome else ''}" + (f"#{count}" if count > 1 else "")
             for kind, site, outcome, count in path]
    return " ".join(words) + f" {address:x}" + (f"*{repeated}" if repeated else "")


class Naive:
    """Both runs with their indices, and which steps are aligned: (step of a, step of b), ascending."""

    def __init__(self, a, b):
        self.a = Recording(a)
        self.b = self.a if a == b else Recording(b)
        self.code = Code([self.a, self.b])
        self.number()

    def number(self, marks_a=(), marks_b=()):
        """Gives indices; marks, if any, leave out numbers of iterations."""
        self.index_a = Indexer(self.code, self.a, marks_a).run()
        self.index_b = Indexer(self.code, self.b, marks_b).run()
        steps_a = unique(self.a, self.index_a)
        steps_b = unique(self.b, self.index_b)
        self.pairs = sorted((step, steps_b[index]) for index, step in steps_a.items() if index in steps_b)
        for (a1, b1), (a2, b2) in zip(self.pairs, self.pairs[1:]):
            if b2 <= b1:
                raise Failure(f"pairs cross: {a1} with {b1}, {a2} with {b2}: {show(self.index_a[a2])}")


def aligned_pairs(thread):
    """What the regions of `align` say. Checks their form: nothing missing, kinds alternate."""
    pairs = []
    at_a = at_b = 0
    kind = None
    for region in thread["regions"]:
        (a, end_a), (b, end_b) = region["a"], region["b"]
        if (a, b) != (at_a, at_b) or end_a < a or end_b < b or (end_a, end_b) == (a, b):
            raise Failure(f"the region {region} does not follow {at_a}, {at_b}")
        if region["kind"] == kind or region["kind"] not in ("aligned", "disaligned"):
            raise Failure(f"the region {region} is behind another of its kind")
        kind = region["kind"]
        if kind == "aligned":
            if end_a - a != end_b - b:
                raise Failure(f"an aligned region has different lengths: {region}")
            pairs += zip(range(a, end_a), range(b, end_b))
        at_a, at_b = end_a, end_b
    if (thread["aligned"], thread["only_a"], thread["only_b"]) != (
            len(pairs), at_a - len(pairs), at_b - len(pairs)):
        raise Failure(f"counts do not fit the regions: {thread['aligned']} {thread['only_a']} {thread['only_b']}, "
                      f"counted {len(pairs)} {at_a - len(pairs)} {at_b - len(pairs)}")
    return pairs, at_a, at_b


def check_divergences(said):
    """Every disaligned region is a divergence behind the last instruction that is aligned before it."""
    regions = [r for thread in said["threads"] for r in thread["regions"] if r["kind"] == "disaligned"]
    if len(regions) != len(said["divergences"]) or len(regions) != said["divergence_count"]:
        raise Failure(f"{len(regions)} disaligned regions, but {len(said['divergences'])} divergences, "
                      f"counted as {said['divergence_count']}")
    for region, divergence in zip(regions, said["divergences"]):
        if (divergence["only_a"], divergence["only_b"]) != (region["a"], region["b"]):
            raise Failure(f"{divergence} is not the divergence of {region}")
        for side in "ab":
            if region[side][0] and int(divergence[side].split(".")[-1]) != region[side][0] - 1:
                raise Failure(f"{divergence} is not behind the last aligned instruction before {region}")


def compare(naive, said=None):
    """Raises Failure where `align` differs from the definition."""
    said = said or align(naive.a.path, naive.b.path)
    thread = said["threads"][0]
    pairs, end_a, end_b = aligned_pairs(thread)
    check_divergences(said)
    if (end_a, end_b) != (len(naive.index_a), len(naive.index_b)):
        raise Failure(f"the regions end at {end_a}, {end_b} instead of {len(naive.index_a)}, {len(naive.index_b)}")
    wrong = sorted(set(pairs) ^ set(naive.pairs))
    if not wrong:
        return
    a, b = wrong[0]
    by = "align" if (a, b) in set(pairs) else "the definition"
    text = [f"{len(wrong)} pairs differ; first: {a} and {b} are aligned by {by} only"]
    for recording, indices, step, name in ((naive.a, naive.index_a, a, "a"), (naive.b, naive.index_b, b, "b")):
        at = recording.trace[step]
        text.append(f"  {name} {step}: {at.function} {at.address:#x} {at.text}: {show(indices[step])}")
    raise Failure("\n".join(text))


def main():
    words = [w for w in sys.argv[1:] if w != "--self"]
    if len(words) != 2:
        sys.exit(__doc__)
    try:
        naive = Naive(*words)
        print(f"{len(naive.pairs)} aligned, {len(naive.index_a) - len(naive.pairs)} only in a, "
              f"{len(naive.index_b) - len(naive.pairs)} only in b")
        if "--self" not in sys.argv:
            compare(naive)
    except Failure as failure:
        sys.exit(f"FAIL {failure}")


if __name__ == "__main__":
    main()

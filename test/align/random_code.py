# SPDX-License-Identifier: MIT
"""Random C programs whose every decision comes from a byte of their input.

A program is a tree of Statement objects, so that a failing one can be made smaller: `shrunk` gives
the same program without one of its parts.
"""
import copy
import itertools
import re

HEAD = '''#include "small.h"
static unsigned char input[{size}];
static unsigned have;
static int fuel = {fuel}, total;
static unsigned counts[{draws}];
static Place places[{places}];
static int is_marked[{places}];
// Each place has its own sequence, so that after one decision that differs others still agree. When
// the fuel is used up, all decisions are 0, and everything ends.
KEEP static unsigned draw(unsigned most, unsigned place) {{
  if (have == 0 || fuel-- <= 0) return 0;
  return input[(place * 7 + counts[place]++) % have] % most;
}}
KEEP static void note(int what) {{ total = total * 31 + what; }}
static char bytes[8];
__attribute__((noreturn)) KEEP static void finish(void) {{
  for (;;) kernel(231, total & 63, 0, 0, 0);
}}
KEEP static void handler(int signal) {{
  if (draw(2, {draws} - 1)) note(signal);
}}
'''

RUN = '''
PUBLIC int run(void) {{
  have = (unsigned)kernel(0, 0, (long)input, sizeof input, 0);
  handle(10, handler);
  f0(0);
  return total & 63;
}}
'''


class Statement:
    """`bodies`: lists of statements; `text` has a place for each, {0}, {1}..."""

    def __init__(self, text, bodies=()):
        self.text = text
        self.bodies = list(bodies)

    def print(self):
        return self.text.format(*("\n".join(s.print() for s in body) for body in self.bodies))


class Generator:
    FUNCTIONS = 5

    def __init__(self, rng, jumps_back):
        self.rng = rng
        self.jumps_back = jumps_back  # setjmp and longjmp, too
        self.labels = 0
        self.loops = 0

    def functions(self):
        return [self.body(0, True) for _ in range(self.FUNCTIONS)]

    def body(self, depth, whole=False):
        if whole:
            self.in_loop = self.has_computed = False
        out = []
        for _ in range(self.rng.randint(2, 4) if depth < 2 else self.rng.randint(1, 2)):
            out += self.statement(depth)
        return out

    def looped(self, depth):
        was, self.in_loop = self.in_loop, True
        self.loops += 1
        out = self.body(depth + 1)
        self.loops -= 1
        self.in_loop = was
        return out

    def note(self):
        return Statement(f"note({self.rng.randrange(1000)});")

    def statement(self, depth):
        rng = self.rng
        kinds = ["note", "note", "if", "if", "call"]
        if depth < 3:
            kinds += ["if", "if", "for", "while", "do", "switch", "chain", "pointer", "and", "goto", "into", "back",
                      "computed"]
            kinds += ["place"] if self.jumps_back else []
        if self.in_loop:
            kinds += ["break", "continue"]
        kinds += ["return", "jump"] if self.jumps_back else ["return"]
        kinds += [k for k in ("fill", "finish", "signal", "last") if rng.random() < 0.2]
        return getattr(self, "make_" + rng.choice(kinds))(depth)

    def make_note(self, _):
        return [self.note()]

    def make_if(self, depth):
        if self.rng.random() < 0.5:
            return [Statement("if (draw(2)) {{\n{0}\n}}", [self.body(depth + 1)])]
        return [Statement("if (draw(3) == 1) {{\n{0}\n}} else {{\n{1}\n}}", [self.body(depth + 1), self.body(depth + 1)])]

    def make_and(self, depth):
        return [Statement(f"if (draw(2) {self.rng.choice(['&&', '||'])} draw(3) == 1 {self.rng.choice(['&&', '||'])} "
                          "!draw(2)) {{\n{0}\n}}", [self.body(depth + 1)])]

    def make_for(self, depth):
        name = f"i{self.loops}"
        return [Statement(f"for (unsigned {name} = 0, n{name} = draw(4); {name} < n{name}; ++{name}) {{{{\n"
                          + "note((int)" + name + ");\n{0}\n}}", [self.looped(depth)])]

    def make_while(self, depth):
        if self.rng.random() < 0.3:
            return [Statement("for (;;) {{\n{0}\nif (!draw(3)) break;\n{1}\n}}",
                              [self.looped(depth), self.looped(depth)])]
        return [Statement("while (draw(3)) {{\n{0}\n}}", [self.looped(depth)])]

    def make_do(self, depth):
        return [Statement("do {{\n{0}\n}} while (draw(3));", [self.looped(depth)])]

    def make_switch(self, depth):
        cases = self.rng.choice([3, 9])  # a chain of comparisons, or a jump table
        was, self.in_loop = self.in_loop, False
        text = f"switch (draw({cases + 1})) {{{{\n"
        bodies = []
        for i in range(cases):
            if i % 3 == 2 and self.rng.random() < 0.5:
                text += f"case {i}:\n"
                continue
            text += f"case {i}:\n{{{len(bodies)}}}\n" + self.rng.choice(["break;\n", "break;\n", ""])
            bodies.append(self.body(depth + 2) if len(bodies) < 3 else [self.note()])
        text += "default: note(5);\n}}"
        self.in_loop = was
        return [Statement(text, bodies)]

    def make_chain(self, depth):
        return [Statement("total ^= draw(2) ? (int)draw(5) : draw(2) ? 7 : total / 3;"),
                Statement("if (total & 1) {{\n{0}\n}}", [self.body(depth + 1)])]

    def make_pointer(self, _):
        names = [self.rng.randrange(self.FUNCTIONS) for _ in range(3)]
        return [Statement("{{ static void (*const to[])(int) = {{" + ", ".join(f"f{n}" for n in names)
                          + "}};\n  if (depth < 4) to[draw(3)](depth + 1); }}")]

    def make_call(self, _):
        return [Statement(f"if (depth < 4) f{self.rng.randrange(self.FUNCTIONS)}(depth + 1);")]

    def label(self):
        self.labels += 1
        return f"l{self.labels}"

    def make_goto(self, depth):
        label = self.label()
        return [Statement(f"if (draw(2)) goto {label};"), *self.body(depth + 1), Statement(f"{label}:;")]

    def make_back(self, depth):
        label = self.label()
        return [Statement(f"{label}:;"), *self.body(depth + 1), Statement(f"if (draw(3) == 1) goto {label};")]

    def make_into(self, depth):
        """A loop with two entries."""
        label = self.label()
        return [Statement(f"if (draw(2)) goto {label};\nwhile (draw(3)) {{{{\n{{0}}\n{label}:;\n{{1}}\n}}}}",
                          [self.looped(depth), self.looped(depth)])]

    def make_computed(self, depth):
        # Compilers make one jump of several; which of their tables `cfg` then finds depends on what it was told
        # about the run, so `cfg` and `align` can have different edges.
        if self.has_computed:
            return [self.note()]
        self.has_computed = True
        one, two, end = self.label(), self.label(), self.label()
        return [Statement(f"{{{{ static void *const to[] = {{{{&&{one}, &&{two}, &&{end}}}}};\ngoto *to[draw(3)]; }}}}\n"
                          f"{one}:;\n{{0}}\n{two}:;\n{{1}}\n{end}:;", [self.body(depth + 1), self.body(depth + 1)])]

    def make_place(self, depth):
        return [Statement("if (depth < 4) {{\n  is_marked[depth] = 1;\n"
                          "  if (mark_place(places[depth]) == 0) {{\n{0}\n  }} else {{\n{1}\n  }}\n"
                          "  is_marked[depth] = 0;\n}}", [self.body(depth + 1), [self.note()]])]

    def make_jump(self, _):
        return [Statement("{{ const int to = (int)draw(5);\n"
                          "  if (to < depth && is_marked[to]) {{ is_marked[to] = 0; jump_back(places[to], 1); }} }}")]

    def make_fill(self, _):
        return [Statement("memset(bytes, 1, draw(5));")]

    def make_finish(self, _):
        return [Statement("if (draw(50) == 1) finish();")]

    def make_signal(self, _):
        return [Statement("if (draw(2)) raise_signal(10);")]

    def make_last(self, depth):
        """Left only from inside its calls, or by returning."""
        return [Statement("if (draw(5) == 1) for (;;) {{\n{0}\nif (!draw(3)) { which }\n}}".replace(
            "{ which }", self.rng.choice(["finish();", "return;", "finish();"])), [self.looped(depth + 2)])]

    def make_break(self, _):
        return [Statement("if (draw(4) == 1) break;")]

    def make_continue(self, _):
        return [Statement("if (draw(4) == 1) continue;")]

    def make_return(self, _):
        return [Statement("if (draw(6) == 1) return;")]


class Program:
    def __init__(self, rng, jumps_back=False, size=160, fuel=120):
        self.size = size
        self.fuel = fuel
        self.functions = Generator(rng, jumps_back).functions()
        # Numbered once: a smaller program must decide as before.
        self.draws = itertools.count()
        for body in self.lists():
            for statement in body:
                statement.text = re.sub(r"draw\((\d+)\)", lambda m: f"draw({m[1]}, {next(self.draws)})",
                                        statement.text)
        self.draws = next(self.draws) + 1

    def print(self):
        text = HEAD.format(size=self.size, fuel=self.fuel, places=5, draws=self.draws)
        for i in range(len(self.functions)):
            text += f"static void f{i}(int depth);\n"
        for i, body in enumerate(self.functions):
            # A mark is of the frame that made it: it must not be used when that has been left.
            text += f"KEEP static void f{i}(int depth) {{\n  is_marked[depth] = 0;\n  note({i});\n"
            text += "\n".join(s.print() for s in body)
            text += f"\n  note({i + 50});\n  is_marked[depth] = 0;\n}}\n"
        return text + RUN.format()

    def lists(self):
        """All lists of statements, the outer ones first."""
        todo = list(self.functions)
        while todo:
            body = todo.pop(0)
            yield body
            for statement in body:
                todo += statement.bodies

    def shrunk(self, number):
        """A copy without the statement of that number, counting over all lists; None: there is none."""
        out = copy.deepcopy(self)
        for body in out.lists():
            if number < len(body):
                del body[number]
                return out
            number -= len(body)
        return None

# SPDX-License-Identifier: MIT
"""Small random C programs over bytes of their input: what they compute goes through arrays, fields, pointers,
parameters and decisions, so that everything that table I knows comes about now and then.

A program is a tree of Statement objects, as in test/align/random_code.py: `shrunk` leaves one of them out.
"""
import copy

HEAD = '''#include "small.h"
struct Pair {{ int left; unsigned char small; short middle; long right; }};
static unsigned char input[{size}];
static int table[8];
static unsigned char bytes[16];
static struct Pair pairs[4];
static struct Pair* chosen = &pairs[0];
static long total;
static int fuel = {fuel};
KEEP static int peek(int* of, unsigned char* at) {{ return *of * 3 + *at; }}
'''
RUN = '''
PUBLIC int run(void) {{
  kernel(0, 0, (long)input, sizeof input, 0);
  int x = input[0], y = input[1];
{body}
  for (int i = 0; i < 8; ++i) total = total * 3 + table[i];
  total += bytes[3] + pairs[1].left + pairs[2].small + pairs[0].right + x - y;
  return (int)(total & 127);
}}
'''


class Statement:
    def __init__(self, text, *bodies):
        self.text = text
        self.bodies = [list(body) for body in bodies]

    def print(self):
        return self.text.format(*("\n".join(s.print() for s in body) for body in self.bodies))


class Program:
    FUNCTIONS = 3

    def __init__(self, rng, size=12, fuel=40, has_rooms=False):
        self.rng = rng
        self.has_rooms = has_rooms
        self.size = size
        self.fuel = fuel
        self.loops = 0
        self.functions = [self.body(1) for _ in range(self.FUNCTIONS)]
        self.main = self.body(0, 5)
        del self.rng

    def value(self):
        rng = self.rng
        one = lambda: rng.choice([  # noqa: E731
            "x", "y", f"input[{rng.randrange(self.size)}]", f"table[{rng.randrange(8)}]", f"bytes[{rng.randrange(16)}]",
            f"pairs[{rng.randrange(4)}].{rng.choice(['left', 'small', 'middle'])}", "chosen->left", "(int)chosen->right",
            str(rng.randrange(100)), "table[x & 7]", "bytes[y & 15]", "(int)total"])
        return rng.choice([one(), f"{one()} {rng.choice(['+', '-', '*', '&', '|', '^'])} {one()}",
                           f"({one()} >> {rng.randrange(1, 9)})", f"(({one()}) << {rng.randrange(1, 12)})",
                           f"(unsigned char)({one()} + {one()})", f"({one()} < {one()})", f"({one()} & 1 ? {one()} : 3)",
                           f"(({one()}) / {rng.randrange(2, 9)})"])

    def condition(self):
        rng = self.rng
        if rng.random() < 0.6:  # decided by the input, so that the runs part often
            return f"input[{rng.randrange(self.size)}] % 7 {rng.choice(['<', '>', '=='])} {rng.randrange(1, 6)}"
        return f"({self.value()}) {rng.choice(['<', '>', '==', '!=', '>='])} {rng.choice([self.value(), '7', '40', '100'])}"

    def body(self, depth, most=3):
        return [self.statement(depth) for _ in range(self.rng.randint(2, most))]

    def statement(self, depth):
        kinds = ["local", "local", "store", "store", "indexed", "field", "choose", "total", "call"]
        kinds += ["if", "if", "else", "for", "while"] if depth < 3 else []
        kinds += ["room"] * 3 if depth < 3 and self.has_rooms else []
        return getattr(self, "make_" + self.rng.choice(kinds))(depth)

    def make_local(self, _):
        return Statement(f"{self.rng.choice('xy')} {self.rng.choice(['=', '+=', '^='])} {self.value()};")

    def make_store(self, _):
        return Statement(f"table[{self.rng.randrange(8)}] {self.rng.choice(['=', '-='])} {self.value()};")

    def make_indexed(self, _):
        """A place that can be another in the other run: wild writes."""
        to = self.rng.choice([f"table[({self.value()}) & 7]", f"bytes[({self.value()}) & 15]",
                              f"*(&pairs[0].left + 6 * (({self.value()}) & 3))"])
        return Statement(f"{to} = {self.value()};")

    def make_field(self, _):
        field = self.rng.choice(["left", "small", "middle", "right"])
        return Statement(f"chosen->{field} = {self.value()};")

    def make_choose(self, _):
        return Statement(f"chosen = &pairs[({self.value()}) & 3];")

    def make_total(self, _):
        return Statement(f"total = total * 5 + ({self.value()});")

    def make_call(self, _):
        return Statement(f"if (fuel-- > 0) y = f{self.rng.randrange(self.FUNCTIONS)}({self.value()}, &x);")

    def make_room(self, depth):
        """An array whose size the run knows: all that is called inside has its frames elsewhere."""
        self.loops += 1
        name = f"room{self.loops}"
        first = "".join(f" {name}[{i}] = {self.value()};" for i in range(4))
        return Statement(f"{{{{ unsigned char {name}[4 + (({self.value()}) & 63)];{first}\n{{0}}\n"
                         f"y += peek(&x, &{name}[({self.value()}) & 3]); }}}}", self.body(depth + 1))

    def make_if(self, depth):
        return Statement(f"if ({self.condition()}) {{{{\n{{0}}\n}}}}", self.body(depth + 1))

    def make_else(self, depth):
        return Statement(f"if ({self.condition()}) {{{{\n{{0}}\n}}}} else {{{{\n{{1}}\n}}}}", self.body(depth + 1),
                         self.body(depth + 1))

    def make_for(self, depth):
        self.loops += 1
        name = f"i{self.loops}"
        return Statement(f"for (int {name} = 0; {name} < (({self.value()}) & 3); ++{name}) {{{{\nif (fuel-- <= 0) break;\n"
                         f"{{0}}\n}}}}", self.body(depth + 1))

    def make_while(self, depth):
        return Statement(f"while (fuel-- > 0 && ({self.condition()})) {{{{\n{{0}}\n}}}}", self.body(depth + 1))

    def print(self):
        out = HEAD.format(size=self.size, fuel=self.fuel)
        for i in range(self.FUNCTIONS):
            out += f"static int f{i}(int x, int* out);\n"
        for i, body in enumerate(self.functions):
            text = "\n".join(s.print() for s in body)
            out += f"KEEP static int f{i}(int x, int* out) {{\n  int y = *out;\n{text}\n  *out = y;\n  return x;\n}}\n"
        return out + RUN.format(body="\n".join(s.print() for s in self.main))

    def lists(self):
        todo = [self.main, *self.functions]
        while todo:
            body = todo.pop(0)
            yield body
            for statement in body:
                todo += statement.bodies

    def shrunk(self, number):
        """A copy without the statement of that number; None: there is none."""
        out = copy.deepcopy(self)
        for body in out.lists():
            if number < len(body):
                del body[number]
                return out
            number -= len(body)
        return None

# SPDX-License-Identifier: MIT
"""Random x86-64 programs for random_programs.py.

A program is one loop over a random body. Each iteration takes new values from a table (half of them corner
cases), so that the later ones run as machine code where values are computed again, and adds its registers to
sums that the program writes to its standard output at the end, together with its buffer.

The program must do the same natively and recorded. So it never uses a flag that the processor leaves
undefined: the generator knows after each instruction which flags have a meaning, and gives only those to the
next consumer. Divisors are made to fit. Left out because Valgrind does not know them, or runs them differently:
`rep lods`, `cmps` without `repe`, `lea` of 16 bits, `cvtsi2ss` of 64 bits.

Register use: rsp is the stack, r15 the buffer, r14 an index into it; all others are free.
"""
import random

ALL_FLAGS = frozenset("CPAZSO")
BITS = {"C": 0x1, "P": 0x4, "A": 0x10, "Z": 0x40, "S": 0x80, "O": 0x800}
CONDITIONS = {"o": "O", "b": "C", "z": "Z", "be": "CZ", "s": "S", "p": "P", "l": "SO", "le": "SOZ",
              "no": "O", "ae": "C", "nz": "Z", "a": "CZ", "ns": "S", "np": "P", "ge": "SO", "g": "SOZ"}
FREE = ["rax", "rcx", "rdx", "rbx", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13"]
POINTER = {1: "byte", 2: "word", 4: "dword", 8: "qword", 16: "xmmword", 32: "ymmword"}
CORNERS = [0, 1, 2, 3, 0x7f, 0x80, 0x81, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff,
           0x100000000, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff, 0x8080808080808080,
           0x7f80ff0001008000, 0xaaaaaaaa55555555, 0x00ff00ff00ff00ff,
           0x3ff8000000000000, 0xc006000000000000, 0x40934a456d5cfaad, 0x3fc000003f8ccccd, 0xc2280000c0933333]

SSE = {  # by extension: xmm, xmm or m128
    "sse2": "paddb paddw paddd paddq psubb psubw psubd psubq paddsb paddsw paddusb paddusw psubsb psubsw psubusb "
            "psubusw pmullw pmulhw pmulhuw pmuludq pmaddwd psadbw pavgb pavgw pmaxub pmaxsw pminub pminsw pcmpeqb "
            "pcmpeqw pcmpeqd pcmpgtb pcmpgtw pcmpgtd pand pandn por pxor packsswb packssdw packuswb punpcklbw "
            "punpckhbw punpcklwd punpckhwd punpckldq punpckhdq punpcklqdq punpckhqdq psllw pslld psllq psrlw psrld "
            "psrlq psraw psrad andps andnps orps xorps unpcklps unpckhps unpcklpd unpckhpd".split(),
    "ssse3": "pshufb phaddw phaddd phaddsw phsubw phsubd phsubsw pmaddubsw pmulhrsw psignb psignw psignd pabsb pabsw "
             "pabsd".split(),
    "sse4": "pmulld pmuldq pminsb pminuw pminsd pminud pmaxsb pmaxuw pmaxsd pmaxud pcmpeqq packusdw pcmpgtq "
            "phminposuw pmovsxbw pmovsxwd pmovsxdq pmovzxbw pmovzxwd pmovzxdq".split(),
}
ONE_OPERAND = {"pabsb", "pabsw", "pabsd", "phminposuw", "pmovsxbw", "pmovsxwd", "pmovsxdq", "pmovzxbw", "pmovzxwd",
               "pmovzxdq"}
NOT_WIDE = {"phminposuw"}  # has no 256-bit form
FLOATS = "addsd subsd mulsd divsd minsd maxsd addss mulss addpd subpd mulpd addps subps mulps divps minps maxps " \
         "minpd maxpd sqrtpd sqrtps sqrtsd cmpeqpd cmpltps cmpunordsd cmplesd subss divss minss maxss sqrtss divpd cmpltss " \
         "cmpeqss cmpless cmpunordss cmpeqsd cmpeqps cmpleps cmpunordps cmpltpd cmplepd cmpunordpd".split()
WIDE_FLOATS = "addps subps mulps divps minps maxps addpd subpd mulpd divpd minpd maxpd".split()
MMX = "paddb paddw paddd psubb psubw psubd paddsb paddsw paddusb paddusw psubsb psubusw pmullw pmulhw pmaddwd pcmpeqb " \
      "pcmpeqw pcmpgtd pcmpgtb pand pandn por pxor packsswb packssdw packuswb punpcklbw punpckhwd punpckldq psllw " \
      "pslld psrlq psraw pavgb pmaxub pminsw psadbw pshufb phaddw phsubd pmulhrsw psignb pabsd psrlw pavgw pmulhuw " \
      "pmaxsw pminub punpckhbw psubusb pcmpeqd psubsw".split()


def part(register, size):
    """The name of the low `size` bytes of a 64-bit register."""
    if register[1].isdigit():
        return register + {8: "", 4: "d", 2: "w", 1: "b"}[size]
    base = register[1:]
    if size == 8:
        return register
    if size == 4:
        return "e" + base
    if size == 2:
        return base
    return base[0] + "l" if base in ("ax", "bx", "cx", "dx") else base + "l"


class Generator:
    def __init__(self, rng, features, length):
        self.rng = rng
        self.features = features
        self.length = length
        self.out = []
        self.defined = frozenset()
        self.labels = 0

    # ---- pieces ----

    def emit(self, text):
        self.out.append("  " + text)

    def label(self):
        self.labels += 1
        return f".L{self.labels}"

    def pick(self, *choices):
        return self.rng.choice(choices)

    def size(self):
        return self.pick(1, 2, 4, 8)

    def free(self):
        return self.rng.choice(FREE)

    def register(self, size, high=False):
        """`high`: ah, bh, ch, dh may be taken too."""
        if size == 1 and high and self.rng.random() < 0.3:
            return self.pick("ah", "bh", "ch", "dh")
        return part(self.free(), size)

    def memory(self, size, aligned=False):
        where = self.rng.randrange(0, 512)
        if aligned:
            where -= where % size
        form = self.rng.randrange(3)
        if form == 0:
            address = f"[buffer + {where}]"
        elif form == 1 or aligned:
            address = f"[r15 + {where}]"
        else:
            # Flags stay as they are: movzx, not and.
            self.emit(f"movzx r14d, {part(self.rng.choice(FREE), 1)}")
            address = f"[r15 + r14*{self.pick(1, 2, 4)} + {where % 64}]"
        return f"{POINTER[size]} ptr {address}"

    def immediate(self, size):
        value = self.rng.choice(CORNERS) if self.rng.random() < 0.5 else self.rng.getrandbits(64)
        bits = min(size, 4) * 8
        value &= (1 << bits) - 1
        if size == 8 and value >> 31:
            value -= 1 << 32
        return str(value)

    def operands(self, size):
        """Destination and source: register or memory, at most one of them memory; high bytes among registers."""
        form = self.rng.randrange(5)
        if form == 0:
            return self.memory(size), self.low_register(size)
        if form == 1:
            return self.low_register(size), self.memory(size)
        if form == 2:
            return self.memory(size), self.immediate(size)
        if form == 3:
            return self.register(size, True), self.immediate(size)
        return self.pair(size)

    def low_register(self, size):
        return part(self.free(), size)

    def pair(self, size):
        """Two registers; a high byte cannot stand beside one that needs a REX prefix."""
        if size == 1 and self.rng.random() < 0.4:
            names = ["al", "bl", "cl", "dl", "ah", "bh", "ch", "dh"]
            return self.rng.choice(names), self.rng.choice(names)
        return self.low_register(size), self.low_register(size)

    def sets(self, flags, undefined=""):
        self.defined = (self.defined | frozenset(flags)) - frozenset(undefined)

    def need(self, flags):
        """Makes sure that these flags have a meaning."""
        if not frozenset(flags) <= self.defined:
            self.emit(f"cmp {self.low_register(8)}, {self.low_register(8)}")
            self.defined = ALL_FLAGS

    def condition(self):
        fitting = [c for c, f in CONDITIONS.items() if frozenset(f) <= self.defined]
        if not fitting or self.rng.random() < 0.2:
            self.need("CPAZSO")
            fitting = list(CONDITIONS)
        return self.rng.choice(fitting)

    # ---- groups of instructions ----

    def arithmetic(self):
        name = self.pick("add", "sub", "cmp", "and", "or", "xor", "test", "adc", "sbb")
        size = self.size()
        if name in ("adc", "sbb"):
            self.need("C")
        to, of = self.operands(size)
        if name == "test" and "ptr" in of:
            to, of = of, to
        lock = "lock " if "ptr" in to and name not in ("cmp", "test") and self.rng.random() < 0.2 else ""
        self.emit(f"{lock}{name} {to}, {of}")
        self.sets("CPAZSO", "A" if name in ("and", "or", "xor", "test") else "")

    def unary(self):
        name = self.pick("inc", "dec", "neg", "not")
        size = self.size()
        to = self.memory(size) if self.rng.random() < 0.4 else self.register(size, True)
        self.emit(f"{name} {to}")
        if name == "neg":
            self.sets("CPAZSO")
        elif name != "not":
            self.sets("PAZSO")

    def shift(self):
        name = self.pick("shl", "shr", "sar", "rol", "ror", "rcl", "rcr")
        size = self.size()
        bits = size * 8
        rotates = name[0] == "r"
        if name in ("rcl", "rcr"):
            self.need("C")
        to = self.memory(size) if self.rng.random() < 0.3 else self.register(size, True)
        how = self.rng.randrange(3)
        if how == 0:
            count, text = 1, "1"
        elif how == 1:
            count = self.rng.choice([0, 2, 3, bits - 1, bits, bits + 1, 31, 32, 33, 63, 64, self.rng.randrange(256)])
            text = str(count)
            count &= 63 if size == 8 else 31
        else:
            count, text = None, "cl"
        if not count and not rotates:
            self.before_zero_shift()
        self.emit(f"{name} {to}, {text}")
        before = self.defined
        if count == 0:
            if name in ("rcl", "rcr"):  # Valgrind clears it
                self.sets("", "O")
            return
        if rotates:
            self.sets("CO" if count == 1 else "C", "" if count == 1 else "O")
        else:
            self.sets("CPZSO" if count == 1 else "CPZS", "A" if count == 1 else "AO")
            if size < 4 and (count is None or count >= bits):
                self.sets("", "C")
        if count is None:  # it may have been zero
            self.defined &= before

    def before_zero_shift(self):
        """Valgrind loses the carry of inc, dec, adc and sbb in a shift by zero."""
        if self.rng.random() < 0.6:
            self.emit(f"cmp {self.low_register(8)}, {self.low_register(8)}")
            self.defined = ALL_FLAGS
        else:
            self.defined = frozenset()

    def double_shift(self):
        name, size = self.pick("shld", "shrd"), self.pick(2, 4, 8)
        to = self.memory(size) if self.rng.random() < 0.3 else self.low_register(size)
        source = self.low_register(size)
        if size == 2 or self.rng.random() < 0.5:  # a larger count of 16 bits has no defined result
            count = self.rng.randrange(0, size * 8)
            if count == 0:
                self.before_zero_shift()
            before = self.defined
            self.emit(f"{name} {to}, {source}, {count}")
            if count:
                self.sets("CPZS", "A" if count == 1 else "AO")
                if count == 1:
                    self.sets("O")
        else:
            self.before_zero_shift()
            before = self.defined
            self.emit(f"{name} {to}, {source}, cl")
            self.sets("CPZS", "AO")
            self.defined &= before

    def multiply(self):
        size = self.size()
        form = self.rng.randrange(4)
        of = self.memory(size) if self.rng.random() < 0.3 else self.register(size, True)
        if form < 2 or size == 1:
            self.emit(f"{self.pick('mul', 'imul')} {of}")
        elif form == 2:
            of = of if "ptr" in of else self.low_register(size)
            self.emit(f"imul {self.low_register(size)}, {of}")
        else:
            of = of if "ptr" in of else self.low_register(size)
            self.emit(f"imul {self.low_register(size)}, {of}, {self.immediate(size)}")
        self.sets("CO", "PAZS")

    def divide(self):
        size = self.size()
        divisor = part("r13", size)
        if self.rng.random() < 0.5:
            self.emit("or r13b, 1")
            if size == 1:
                self.emit("movzx eax, al")
            else:  # the upper half below the divisor
                self.emit(f"mov {part('rdx', size)}, {divisor}")
                self.emit(f"shr {part('rdx', size)}, 1")
            self.emit(f"div {divisor}")
        else:
            self.emit(f"shr {divisor}, 1")
            self.emit("or r13b, 1")
            if self.rng.random() < 0.4:
                self.emit(f"neg {divisor}")
                # The quotient of the least number and -1 does not fit.
                self.emit(f"{'movsx ax, al' if size == 1 else 'nop'}")
                self.emit(f"sar {part('rax', max(2, size))}, 1")
            self.emit({1: "cbw", 2: "cwd", 4: "cdq", 8: "cqo"}[size])
            self.emit(f"idiv {divisor}")
        self.defined = frozenset()

    def on_condition(self):
        condition = self.condition()
        form = self.rng.randrange(3)
        if form == 0:
            size = self.pick(2, 4, 8)
            of = self.memory(size) if self.rng.random() < 0.3 else self.low_register(size)
            self.emit(f"cmov{condition} {self.low_register(size)}, {of}")
        elif form == 1:
            self.emit(f"set{condition} {self.memory(1) if self.rng.random() < 0.3 else self.register(1, True)}")
        else:
            self.branch(f"j{condition}")

    def branch(self, jump):
        over = self.label()
        before = self.defined
        self.emit(f"{jump} {over}")
        for _ in range(self.rng.randrange(1, 4)):
            self.simple()
        self.out.append(over + ":")
        self.defined &= before

    def new_block(self):
        here = self.label()
        self.emit(f"jmp {here}")
        self.out.append(here + ":")

    def jump_if_zero(self):
        self.branch(self.pick("jrcxz", "jecxz"))

    def bits(self):
        name, size = self.pick("bt", "bts", "btr", "btc"), self.pick(2, 4, 8)
        form = self.rng.randrange(3)
        if form == 0:
            self.emit(f"{name} {self.low_register(size)}, {self.low_register(size)}")
        elif form == 1:
            to = self.memory(size) if self.rng.random() < 0.5 else self.low_register(size)
            self.emit(f"{name} {to}, {self.rng.randrange(256)}")
        else:  # reaches beyond the operand
            self.emit(f"movzx r14d, {part(self.free(), 1)}")
            self.emit(f"{name} {POINTER[size]} ptr [r15 + {self.rng.randrange(400)}], {part('r14', size)}")
        self.sets("C", "PASO")

    def scan(self):
        size = self.pick(2, 4, 8)
        names = ["bsf", "bsr"] + (["tzcnt"] if "bmi1" in self.features else []) + \
            (["lzcnt"] if "abm" in self.features else []) + (["popcnt"] if "popcnt" in self.features else [])
        name = self.rng.choice(names)
        of = self.low_register(size)
        if name in ("bsf", "bsr"):  # of zero, what the destination becomes depends on the processor
            self.emit(f"or {of}, {1 << self.rng.randrange(15)}")
            self.emit(f"{name} {self.low_register(size)}, {of}")
            self.sets("Z", "CPASO")
        else:
            of = self.memory(size) if self.rng.random() < 0.3 else of
            self.emit(f"{name} {self.low_register(size)}, {of}")
            self.sets("CPAZSO" if name == "popcnt" else "CZ", "" if name == "popcnt" else "PASO")

    def swap_bytes(self):
        self.emit(f"bswap {self.low_register(self.pick(4, 8))}")

    def exchange(self):
        size = self.size()
        name = self.pick("xchg", "xadd", "cmpxchg")
        if self.rng.random() < 0.5:
            to, of = self.memory(size), self.low_register(size)
            lock = "lock " if self.rng.random() < 0.4 else ""
        else:
            (to, of), lock = self.pair(size), ""
        if name == "xchg" and size == 2 and "ax" in (to, of) and "ptr" not in to:  # Valgrind clears the upper half
            name = "xadd"
        if name == "cmpxchg" and size == 4:  # Valgrind and processors differ in which upper halves they clear
            self.emit("mov eax, eax")
            if "ptr" not in to:
                self.emit(f"mov {to}, {to}")
        self.emit(f"{lock}{name} {to}, {of}")
        if name != "xchg":
            self.sets("CPAZSO")

    def exchange_wide(self):
        size, name = self.pick((8, "cmpxchg8b"), (16, "cmpxchg16b"))
        address = f"[r15 + {self.rng.randrange(30) * 16}]"
        if size == 8:  # likewise
            self.emit("mov eax, eax")
            self.emit("mov edx, edx")
        if self.rng.random() < 0.5:  # so that it succeeds
            low, high = (part("rax", size // 2), part("rdx", size // 2))
            self.emit(f"mov {low}, {address}")
            self.emit(f"mov {high}, [r15 + {int(address[7:-1]) + size // 2}]")
        self.emit(f"{self.pick('lock ', '')}{name} {POINTER[size]} ptr {address}")
        self.sets("Z")

    def extend(self):
        form = self.rng.randrange(4)
        if form < 2:
            size = self.pick(1, 2)
            name = self.pick("movzx", "movsx")
            if self.rng.random() < 0.4:
                self.emit(f"{name} {self.low_register(self.pick(4, 8))}, {self.memory(size)}")
            elif size == 1 and self.rng.random() < 0.4:
                self.emit(f"{name} {self.pick('eax', 'ebx', 'ecx', 'edx', 'esi')}, {self.pick('ah', 'bh', 'ch', 'dh')}")
            else:
                self.emit(f"{name} {self.low_register(self.pick(4, 8))}, {self.low_register(size)}")
        elif form == 2:
            of = self.memory(4) if self.rng.random() < 0.4 else self.low_register(4)
            self.emit(f"movsxd {self.low_register(8)}, {of}")
        else:
            self.emit(self.pick("cbw", "cwde", "cdqe", "cwd", "cdq", "cqo"))

    def move(self):
        size = self.size()
        to, of = self.operands(size)
        self.emit(f"mov {to}, {of}")

    def address(self):
        scale = self.pick(1, 2, 4, 8)
        displacement = self.rng.randrange(-(1 << 31), 1 << 31) if self.rng.random() < 0.5 else self.rng.randrange(-128, 128)
        self.emit(f"lea {self.low_register(self.pick(4, 8))}, [{self.free()} + {self.free()}*{scale} + {displacement}]")

    def stack(self):
        form = self.rng.randrange(5)
        if form == 0:
            self.emit(f"push {self.low_register(8)}")
            self.emit(f"pop {self.low_register(8)}")
        elif form == 1:
            self.emit(f"push {self.low_register(2)}")
            self.emit(f"pop {self.low_register(2)}")
        elif form == 2:
            self.emit(f"push {self.rng.randrange(-(1 << 31), 1 << 31)}")
            self.emit(f"push {self.memory(8)}")
            self.emit(f"pop {self.low_register(8)}")
            self.emit(f"pop {self.memory(8)}")
        elif form == 3:
            self.emit("call leaf")
            self.defined = ALL_FLAGS
        else:
            self.emit("enter 32, 0")
            self.emit(f"mov [rsp + 8], {self.low_register(8)}")
            self.emit("leave")

    def flags(self):
        form = self.rng.randrange(5)
        if form == 0:
            mask = sum(BITS[f] for f in self.defined)
            to = self.low_register(8)
            self.emit("pushfq")
            self.emit(f"pop {to}")
            self.emit(f"and {to}, {mask}")
            self.sets("CPZSO", "A")
        elif form == 1:
            self.emit(f"push {self.rng.getrandbits(12) & 0x8d5 | 2}")
            self.emit("popfq")
            self.defined = ALL_FLAGS
        elif form == 2:
            self.need("CPAZS")
            self.emit("lahf")
        elif form == 3:
            self.emit("sahf")
            self.sets("CPAZS")
        else:
            name = self.pick("clc", "stc", "cmc")
            if name == "cmc":
                self.need("C")
            self.emit(name)
            self.sets("C")

    def string(self):
        name = self.pick("movs", "stos", "scas", "cmps", "lods")
        size = self.size()
        suffix = {1: "b", 2: "w", 4: "d", 8: "q"}[size]
        down = self.rng.random() < 0.4
        count = self.rng.choice([0, 1, 2, 3, 5, 9, 17])
        self.emit(f"lea rdi, [r15 + {self.rng.randrange(256, 400)}]")
        self.emit(f"lea rsi, [r15 + {self.rng.randrange(256, 400)}]")
        self.emit(f"mov ecx, {count}")
        if down:
            self.emit("std")
        if name == "lods":  # Valgrind runs a rep lods only once
            self.emit(f"lods{suffix}")
        elif name in ("movs", "stos"):
            self.emit(f"{self.pick('rep ', 'rep ', '')}{name}{suffix}")
        else:
            prefix = "repe " if name == "cmps" else self.pick("repe ", "repne ", "")
            self.emit(f"{prefix}{name}{suffix}")
            if count or not prefix:
                self.defined = ALL_FLAGS
        if down:
            self.emit("cld")

    def bit_fields(self):
        if "bmi2" not in self.features or "bmi1" not in self.features:
            return
        size = self.pick(4, 8)
        a, b, c = (self.low_register(size) for _ in range(3))
        name = self.pick("andn", "blsi", "blsr", "blsmsk", "bextr", "bzhi", "mulx", "sarx", "shlx", "shrx", "rorx", "pdep",
                         "pext", "adcx", "adox")
        if name in ("adcx", "adox"):
            if "adx" not in self.features:
                return
            flag = "C" if name == "adcx" else "O"
            self.need("CPAZSO")
            self.emit(f"{name} {a}, {b}")
            self.sets(flag)
        elif name in ("blsi", "blsr", "blsmsk"):
            self.emit(f"{name} {a}, {b}")
            self.sets("CZSO", "PA")
        elif name == "rorx":
            self.emit(f"rorx {a}, {b}, {self.rng.randrange(64)}")
        elif name == "mulx" and a == b:
            return
        else:
            self.emit(f"{name} {a}, {b}, {c}")
            if name == "andn":
                self.sets("CZSO", "PA")
            elif name == "bextr":
                self.sets("CZO", "SPA")
            elif name == "bzhi":
                self.sets("CZSO", "PA")

    # ---- vectors ----

    def vector(self, width=16):
        return f"{'xmm' if width == 16 else 'ymm'}{self.rng.randrange(16)}"

    def vector_source(self, width=16, aligned=True):
        return self.memory(width, aligned) if self.rng.random() < 0.25 else self.vector(width)

    def packed_names(self):
        names = list(SSE["sse2"])
        if "ssse3" in self.features:
            names += SSE["ssse3"]
        if "sse4_1" in self.features and "sse4_2" in self.features:
            names += SSE["sse4"]
        return names

    def packed(self):
        name = self.rng.choice(self.packed_names())
        if name.startswith("pmov"):
            self.emit(f"{name} {self.vector()}, {self.vector()}")
        else:
            self.emit(f"{name} {self.vector()}, {self.vector_source()}")

    def packed_wide(self):
        if "avx2" not in self.features:
            return self.packed()
        name = self.rng.choice(self.packed_names())
        width = 16 if name in NOT_WIDE else self.pick(16, 32)
        to = self.vector(width)
        if name.startswith("pmov"):
            return self.emit(f"v{name} {to}, {self.vector()}")
        if name[:4] in ("psll", "psrl", "psra"):  # the count is in a xmm register
            return self.emit(f"v{name} {to}, {self.vector(width)}, {self.vector()}")
        of = self.vector_source(width, False)
        if name in ONE_OPERAND:
            return self.emit(f"v{name} {to}, {of}")
        return self.emit(f"v{name} {to}, {self.vector(width)}, {of}")

    def vector_shift(self):
        name = self.pick("psllw", "pslld", "psllq", "psrlw", "psrld", "psrlq", "psraw", "psrad", "pslldq", "psrldq")
        self.emit(f"{name} {self.vector()}, {self.pick(0, 1, 7, 8, 15, 16, 31, 32, 63, 64, 200)}")

    def shuffle(self):
        imm = self.rng.randrange(256)
        names = ["pshufd", "pshuflw", "pshufhw", "shufps", "shufpd"]
        if "ssse3" in self.features:
            names.append("palignr")
        if "sse4_1" in self.features:
            names += ["pblendw", "blendps", "blendpd", "insertps", "mpsadbw", "roundsd", "roundss"]
        name = self.rng.choice(names)
        if name in ("insertps", "roundsd", "roundss"):
            imm &= 255 if name == "insertps" else 3
            return self.emit(f"{name} {self.vector()}, {self.vector()}, {imm}")
        return self.emit(f"{name} {self.vector()}, {self.vector_source()}, {imm}")

    def vector_move(self):
        forms = ["movdqu {x}, {m}", "movdqu {m}, {x}", "movups {x}, {m}", "movups {m}, {x}", "movdqa {x}, {y}",
                 "movaps {x}, {a}", "movdqa {a}, {x}", "movhlps {x}, {y}", "movlhps {x}, {y}", "movss {x}, {y}",
                 "movsd {x}, {y}", "movss {x}, {m4}", "movsd {x}, {m8}", "movss {m4}, {x}", "movsd {m8}, {x}",
                 "movd {x}, {r4}", "movq {x}, {r8}", "movd {r4}, {x}", "movq {r8}, {x}", "movq {x}, {y}",
                 "movlps {x}, {m8}", "movhps {x}, {m8}", "movlps {m8}, {x}", "movhps {m8}, {x}", "pmovmskb {r4}, {x}",
                 "movmskps {r4}, {x}", "movmskpd {r4}, {x}", "pextrw {r4}, {x}, {i}", "pinsrw {x}, {r4}, {i}",
                 "pinsrw {x}, {m2}, {i}"]
        if "sse4_1" in self.features:
            forms += ["pextrb {r4}, {x}, {i}", "pextrd {r4}, {x}, {i}", "pextrq {r8}, {x}, {i}", "pinsrb {x}, {r4}, {i}",
                      "pinsrd {x}, {r4}, {i}", "pinsrq {x}, {r8}, {i}", "pblendvb {x}, {y}, xmm0", "lddqu {x}, {m}",
                      "pextrb {m1}, {x}, {i}"]
        form = self.rng.choice(forms)
        values = {"x": self.vector(), "y": self.vector(), "i": self.rng.randrange(16)}
        for key, make in [("m", lambda: self.memory(16)), ("a", lambda: self.memory(16, True)),
                          ("m1", lambda: self.memory(1)), ("m2", lambda: self.memory(2)), ("m4", lambda: self.memory(4)),
                          ("m8", lambda: self.memory(8)), ("r4", lambda: self.low_register(4)),
                          ("r8", lambda: self.low_register(8))]:
            if "{" + key + "}" in form:
                values[key] = make()
        self.emit(form.format(**values))

    def vector_test(self):
        if "sse4_1" not in self.features:
            return
        if "avx2" in self.features and self.rng.random() < 0.5:
            self.emit(f"vptest {self.vector(32)}, {self.vector(32)}")
        else:
            self.emit(f"ptest {self.vector()}, {self.vector()}")
        self.defined = ALL_FLAGS

    def wide(self):
        if "avx2" not in self.features:
            return
        x, y, z = (self.rng.randrange(16) for _ in range(3))
        imm = self.rng.randrange(256)
        m32, m16 = "{m32}", "{m16}"
        form = self.pick(f"vmovdqu ymm{x}, {m32}", f"vmovdqu {m32}, ymm{x}", f"vmovups ymm{x}, {m32}",
                         f"vpermq ymm{x}, ymm{y}, {imm}", f"vpermd ymm{x}, ymm{y}, ymm{z}",
                         f"vperm2i128 ymm{x}, ymm{y}, ymm{z}, {imm}", f"vinserti128 ymm{x}, ymm{y}, xmm{z}, {imm & 1}",
                         f"vextracti128 xmm{x}, ymm{y}, {imm & 1}", f"vpbroadcastb ymm{x}, xmm{y}",
                         f"vpbroadcastw ymm{x}, xmm{y}", f"vpbroadcastd ymm{x}, xmm{y}", f"vpbroadcastq ymm{x}, xmm{y}",
                         f"vbroadcasti128 ymm{x}, {m16}", f"vpsllvd ymm{x}, ymm{y}, ymm{z}",
                         f"vpsrlvd ymm{x}, ymm{y}, ymm{z}", f"vpsravd ymm{x}, ymm{y}, ymm{z}",
                         f"vpsllvq ymm{x}, ymm{y}, ymm{z}", f"vpsrlvq ymm{x}, ymm{y}, ymm{z}",
                         f"vpblendd ymm{x}, ymm{y}, ymm{z}, {imm}", f"vpblendvb ymm{x}, ymm{y}, ymm{z}, ymm{imm & 15}",
                         f"vpshufd ymm{x}, ymm{y}, {imm}", f"vpalignr ymm{x}, ymm{y}, ymm{z}, {imm & 31}",
                         f"vpslldq ymm{x}, ymm{y}, {imm & 15}", f"vpsraw ymm{x}, ymm{y}, {imm & 15}",
                         f"vpsllq ymm{x}, ymm{y}, {imm & 63}", f"vmovdqa xmm{x}, xmm{y}", "vzeroupper",
                         f"vpmovmskb {part(self.free(), 4)}, ymm{x}", f"vpmaskmovd ymm{x}, ymm{y}, {m32}",
                         f"vpmaskmovd {m32}, ymm{x}, ymm{y}", f"vpmovzxbq ymm{x}, xmm{y}", f"vpmovsxbd ymm{x}, xmm{y}")
        if m32 in form:
            form = form.replace(m32, self.memory(32))
        if m16 in form:
            form = form.replace(m16, self.memory(16))
        alone = "maskmov" in form  # in one block with MMX instructions it stops Valgrind
        if alone:
            self.new_block()
        self.emit(form)
        if alone:
            self.new_block()

    def floating(self):
        form = self.rng.randrange(7)
        if form == 6:
            if "avx2" in self.features:
                self.emit(f"v{self.rng.choice(WIDE_FLOATS)} {self.vector(32)}, {self.vector(32)}, {self.vector(32)}")
        elif form < 4:
            name = self.rng.choice(FLOATS)
            size = {"sd": 8, "ss": 4}.get(name[-2:], 16)
            of = self.memory(size, True) if self.rng.random() < 0.2 else self.vector()
            self.emit(f"{name} {self.vector()}, {of}")
        elif form == 4:
            self.emit(self.pick(f"cvtsi2sd {self.vector()}, {self.low_register(8)}",
                                f"cvtsi2ss {self.vector()}, {self.low_register(4)}",
                                f"cvttsd2si {self.low_register(8)}, {self.vector()}",
                                f"cvttss2si {self.low_register(4)}, {self.vector()}",
                                f"cvtsd2si {self.low_register(4)}, {self.vector()}",
                                f"cvtss2si {self.low_register(8)}, {self.vector()}",
                                f"cvtdq2ps {self.vector()}, {self.vector()}",
                                f"cvttps2dq {self.vector()}, {self.vector()}",
                                f"cvtps2dq {self.vector()}, {self.vector()}",
                                f"cvtss2sd {self.vector()}, {self.vector()}",
                                f"cvtsd2ss {self.vector()}, {self.vector()}",
                                f"cvttsd2si {self.low_register(4)}, {self.vector()}"))
        else:
            self.emit(f"{self.pick('ucomisd', 'comiss', 'ucomiss')} {self.vector()}, {self.vector()}")
            self.defined = ALL_FLAGS

    def small_vector(self):
        name = self.rng.choice(MMX)
        if self.rng.random() < 0.3:
            self.emit(f"movq mm{self.rng.randrange(8)}, {self.memory(8)}")
        self.emit(f"{name} mm{self.rng.randrange(8)}, mm{self.rng.randrange(8)}")
        if self.rng.random() < 0.3:
            self.emit(f"movq {self.memory(8)}, mm{self.rng.randrange(8)}")
        elif self.rng.random() < 0.1:
            self.emit(f"pmovmskb {self.low_register(4)}, mm{self.rng.randrange(8)}")
        elif self.rng.random() < 0.2:
            self.emit(f"pshufw mm{self.rng.randrange(8)}, mm{self.rng.randrange(8)}, {self.rng.randrange(256)}")

    SIMPLE = ["arithmetic"] * 6 + ["unary"] * 2 + ["shift"] * 4 + ["double_shift"] + ["multiply"] * 2 + ["bits"] * 2 + \
        ["scan"] * 2 + ["swap_bytes", "exchange", "exchange", "extend", "extend", "move", "move", "address", "flags",
                        "bit_fields", "bit_fields"] + ["packed"] * 5 + ["packed_wide"] * 3 + \
        ["vector_shift", "shuffle", "shuffle", "vector_move", "vector_move", "vector_test", "wide", "wide", "floating",
         "floating", "floating", "small_vector", "small_vector"]
    COMPLEX = ["divide", "on_condition", "on_condition", "on_condition", "stack", "stack", "string", "jump_if_zero",
               "exchange_wide", "flags"]

    def simple(self):
        getattr(self, self.rng.choice(self.SIMPLE))()

    def body(self):
        self.defined = frozenset()
        while len(self.out) < self.length:
            if self.rng.random() < 0.25:
                getattr(self, self.rng.choice(self.COMPLEX))()
            else:
                self.simple()


def values(rng, count):
    return [rng.choice(CORNERS) if rng.random() < 0.5 else rng.getrandbits(64) for _ in range(count)]


def program(rng, features, length, iterations):
    """The text of a program of about `length` instructions, which runs `iterations` times over them."""
    data = random.Random(rng.getrandbits(64))  # so that a shorter program has the same values
    generator = Generator(rng, features, length)
    generator.body()
    avx = "avx2" in features
    words_each = len(FREE) + 1 + 16 * 4 + 8  # registers, flags, vectors, MMX registers
    out = [".intel_syntax noprefix", ".globl _start", ".text", "leaf:", "  add qword ptr [buffer + 8], 3", "  cmp rax, rbx",
           "  ret", "_start:", "  lea r15, [buffer]", "again:", f"  mov eax, {iterations}", "  sub eax, [left]",
           f"  imul eax, eax, {words_each * 8}", "  lea r14, [table + rax]"]
    at = 8 * len(FREE)
    for i in range(16):
        out.append(f"  {'vmovdqu ymm' if avx else 'movdqu xmm'}{i}, [r14 + {at + 8 + 32 * i}]")
    for i in range(8):
        out.append(f"  movq mm{i}, [r14 + {at + 8 + 512 + 8 * i}]")
    for i, name in enumerate(FREE):
        out.append(f"  mov {name}, [r14 + {8 * i}]")
    out += ["  xor r14d, r14d", "  cmp rax, rbx"] + generator.out
    for i, name in enumerate(FREE):
        out += [f"  add [sums + {8 * i}], {name}", f"  rol qword ptr [sums + {8 * i}], 7"]
    for i in range(16):
        if avx:
            out += [f"  vpxor ymm{i}, ymm{i}, [sums + {256 + 32 * i}]", f"  vmovdqu [sums + {256 + 32 * i}], ymm{i}"]
        else:
            out += [f"  movdqu [spare], xmm{i}", "  mov rax, [spare]", f"  xor [sums + {256 + 32 * i}], rax",
                    "  mov rax, [spare + 8]", f"  xor [sums + {264 + 32 * i}], rax"]
    for i in range(8):
        out += [f"  movq rax, mm{i}", f"  add [sums + {768 + 8 * i}], rax"]
    out += ["  emms", "  dec dword ptr [left]", "  jnz again",
            "  mov eax, 1", "  mov edi, 1", "  lea rsi, [sums]", "  mov edx, offset end - sums", "  syscall",
            "  mov eax, 231", "  xor edi, edi", "  syscall",
            ".data", "left: .long " + str(iterations), ".balign 64", "table:"]
    for value in values(data, words_each * iterations):
        out.append(f"  .quad {value}")
    out += [".balign 64", "sums: .zero 832", ".balign 64", "  .zero 256", "buffer:"]
    for value in values(data, 256):
        out.append(f"  .quad {value}")
    out += ["  .zero 512", "end:", "spare: .zero 64", ""]
    return "\n".join(out)

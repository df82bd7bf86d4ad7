#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""judge.py, check.py and the floors of run.py, on symbols, lines and databases made by hand."""
import collections
import os
import sqlite3
import struct
import tempfile
import unittest
from unittest import mock

import check
import judge
import run

NM = {
    "old": """\
0000000000001000 0000000000000020 T main
0000000000001020 0000000000000010 t helper
0000000000001030 0000000000000010 t same
0000000000001040 0000000000000010 t same
0000000000001050 0000000000000010 t clone.constprop.0
0000000000001060 0000000000000008 t main.cold
0000000000001070 0000000000000010 T alias_a
0000000000001070 0000000000000010 W alias_b
0000000000001080 0000000000000010 t gone
0000000000001090 T _start
0000000000004000 W data_start
0000000000004000 0000000000000010 d table
0000000000004010 0000000000000008 b count.0
0000000000004018 0000000000000008 b vanished
0000000000004020 0000000000000010 u unique@VERSION_1.2
0000000000004030 0000000000000000 B nothing
""",
    "new": """\
0000000000002000 0000000000000020 T main
0000000000002020 0000000000000010 t helper.isra.0
0000000000002030 0000000000000010 t same
0000000000002040 0000000000000010 t clone
0000000000002050 0000000000000010 t arrived
0000000000002060 0000000000000010 T alias_b
0000000000005000 0000000000000010 d table
0000000000005010 0000000000000008 b count.3
0000000000005018 0000000000000018 u unique
""",
}
DWARF = {
    "old": """\
debug_line[0x00000000]
file_names[  1]:
           name: "/src/one.c"
file_names[  2]:
           name: "inline.h"
Address            Line   Column File   ISA Discriminator OpIndex Flags
------------------ ------ ------ ------ --- ------------- ------- -------------
0x0000000000001000     10      3      1   0             0       0  is_stmt
0x0000000000001004     11      5      1   0             0       0  is_stmt
0x0000000000001008      0      0      1   0             0       0
0x000000000000100c      7      1      2   0             0       0  is_stmt
0x0000000000001010     90      1      1   0             0       0  is_stmt
0x0000000000001020     20      1      1   0             0       0  is_stmt
0x0000000000001030     21      1      1   0             0       0  is_stmt
0x0000000000001030     21      1      1   0             0       0  is_stmt end_sequence
0x0000000000000000      1      1      1   0             0       0  is_stmt
0x0000000000002000      1      1      1   0             0       0  is_stmt end_sequence
debug_line[0x00000100]
file_names[  1]:
           name: "two.c"
0x0000000000000f00      5      1      1   0             0       0  is_stmt
0x0000000000001000      5      1      1   0             0       0  is_stmt end_sequence
""",
    "new": """\
debug_line[0x00000000]
file_names[  1]:
           name: "one.c"
file_names[  2]:
           name: "inline.h"
0x0000000000002000     10      9      1   0             0       0  is_stmt
0x0000000000002004     11      5      1   0             0       0  is_stmt
0x0000000000002008      7      1      2   0             0       0  is_stmt
0x000000000000200c     20      1      1   0             0       0  is_stmt
0x0000000000002010     95      1      1   0             0       0  is_stmt
0x0000000000002020     95      1      1   0             0       0  is_stmt end_sequence
""",
}


def elf(code, data):
    """The headers of a file with one section of code and one writable segment, both (start, end)."""
    header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01", 3, 62, 1, 0, 64, 120, 0, 64, 56, 1, 64, 1, 0)
    segment = struct.pack("<IIQQQQQQ", 1, 6, 0, data[0], 0, 0, data[1] - data[0], 8)
    section = struct.pack("<IIQQQQIIQQ", 0, 1, 6, code[0], 0, code[1] - code[0], 0, 0, 16, 0)
    return header + segment + section


class Handmade(unittest.TestCase):
    """Two binaries, old and new, in a directory of their own."""

    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.paths = [self.write("old", elf((0xf00, 0x1100), (0x4000, 0x4040))),
                      self.write("new", elf((0x2000, 0x2100), (0x5000, 0x5040)))]
        patch = mock.patch("judge.output", self.output)
        patch.start()
        self.addCleanup(patch.stop)

    def write(self, name, contents):
        path = os.path.join(self.directory.name, name)
        with open(path, "wb") as file:
            file.write(contents)
        return path

    @staticmethod
    def output(*command):
        side = os.path.basename(command[-1])
        return {"nm": NM, "llvm-dwarfdump-19": DWARF, "readelf": {"old": "    Build ID: 0a\n", "new": ""}}[command[0]][side]

    def judge(self, line_map=None, columns=True):
        return judge.Judge(*self.paths, line_map, columns)


class LineMaps(unittest.TestCase):
    def compare(self, old, new):
        with tempfile.TemporaryDirectory() as directory:
            paths = []
            for name, lines in (("old.c", old), ("new.c", new)):
                paths.append(os.path.join(directory, name))
                with open(paths[-1], "w", encoding="utf-8") as file:
                    file.write("".join(line + "\n" for line in lines))
            line_map = judge.LineMap({"x.c": paths})
        return [(line_map.new_place(("x.c", number, 4)) or (None, None))[1] for number in range(1, len(old) + 1)]

    def test_lines_behind_an_insertion_move(self):
        self.assertEqual(self.compare("abcd", "abXYcd"), [1, 2, 5, 6])

    def test_lines_behind_a_deletion_move_and_deleted_ones_are_none(self):
        self.assertEqual(self.compare("abcde", "ade"), [1, None, None, 2, 3])

    def test_changed_lines_are_none(self):
        self.assertEqual(self.compare("abcde", "aXYde"), [1, None, None, 4, 5])
        self.assertEqual(self.compare("abcde", "aXde"), [1, None, None, 3, 4])

    def test_insertion_at_the_beginning_and_deletion_of_all(self):
        self.assertEqual(self.compare("ab", "Xab"), [2, 3])
        self.assertEqual(self.compare("ab", "XY"), [None, None])

    def test_lines_without_a_letter_and_stretches_of_lines_that_repeat_are_none(self):
        self.assertEqual(self.compare(["a", "}", "b"], ["X", "a", "}", "b"]), [2, None, 4])
        self.assertEqual(self.compare("arbrc", "arXrYc"), [1, 2, None, None, 6])
        self.assertEqual(self.compare("arbrc", "arbrYc"), [1, 2, 3, 4, 6])

    def test_equal_files_and_files_that_are_not_compared_are_the_identity(self):
        self.assertEqual(self.compare("abc", "abc"), [1, 2, 3])
        self.assertEqual(judge.LineMap({}).new_place(("y.c", 7, 2)), ("y.c", 7, 2))

    def test_columns_are_kept(self):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("a\nb\nc\n")
            file.flush()
            self.assertEqual(judge.LineMap({"x.c": (file.name, file.name)}).new_place(("x.c", 3, 9)), ("x.c", 3, 9))


class Names(Handmade):
    def test_suffixes_of_clones_do_not_count(self):
        for name in ("f", "f.constprop.0", "f.isra.0", "f.part.0", "f.cold", "f.constprop.0.cold", "f.lto_priv.3",
                     "f.llvm.123", "f.localalias"):
            self.assertEqual(judge.SUFFIX.sub("", name), "f")
        self.assertEqual(judge.SUFFIX.sub("", "f.particle"), "f.particle")
        self.assertEqual(judge.SUFFIX.sub("", "f.7"), "f.7")

    def test_addresses_with_several_names_have_them_all(self):
        self.assertEqual(judge.Symbols(self.paths[0]).function(0x1070), {"alias_a", "alias_b"})

    def test_symbols_without_a_size_are_functions_only_in_code(self):
        symbols = judge.Symbols(self.paths[0])
        self.assertEqual(symbols.function(0x1090), {"_start"})
        self.assertEqual(symbols.function(0x4000), set())

    def test_names_of_several_functions_and_of_parts_alone_stand_for_none(self):
        alone = judge.Symbols(self.paths[0]).alone
        self.assertNotIn("same", alone)
        self.assertEqual((alone["main"], alone["clone"]), (0x1000, 0x1050))

    def test_data_is_a_name_and_an_offset(self):
        symbols = judge.Symbols(self.paths[0])
        self.assertEqual(symbols.data(0x4000), ("table", 0, 16))
        self.assertEqual(symbols.data(0x400f), ("table", 15, 16))
        self.assertEqual(symbols.data(0x4010), ("count", 0, 8))
        self.assertEqual(symbols.data(0x4028), ("unique", 8, 16))
        self.assertIsNone(symbols.data(0x4030))
        self.assertIsNone(symbols.data(0x3000))


class Places(Handmade):
    def test_line_0_is_no_place_and_a_row_reaches_to_the_next(self):
        lines = judge.Lines(self.paths[0])
        self.assertEqual(lines.at(0x1006, 0x1010), {("one.c", 11, 5), ("inline.h", 7, 1)})
        self.assertEqual(lines.at(0x1008, 0x100c), set())

    def test_nothing_is_behind_the_end_of_a_sequence(self):
        self.assertEqual(judge.Lines(self.paths[0]).at(0x1030, 0x1040), set())
        self.assertEqual(judge.Lines(self.paths[0]).at(0x10, 0x20), set())

    def test_code_that_the_linker_left_out_is_nowhere(self):
        self.assertEqual(judge.Lines(self.paths[0]).at(0x800, 0x810), set())

    def test_a_sequence_that_ends_where_another_begins_does_not_hide_it(self):
        self.assertEqual(judge.Lines(self.paths[0]).at(0x1000, 0x1004), {("one.c", 10, 3)})


class Verdicts(Handmade):
    def test_functions(self):
        truth = self.judge()
        for old, new, verdict in ((0x1000, 0x2000, judge.RIGHT),     # main
                                  (0x1020, 0x2020, judge.RIGHT),     # a clone of the same
                                  (0x1070, 0x2060, judge.RIGHT),     # one name of two
                                  (0x1000, 0x2040, judge.WRONG),     # both are in both
                                  (0x1000, 0x2050, judge.WRONG),     # the new binary has main
                                  (0x1080, 0x2000, judge.WRONG),     # the old binary has main
                                  (0x1080, 0x2050, judge.UNJUDGED),  # perhaps renamed
                                  (0x10a0, 0x2000, judge.UNJUDGED),  # no name
                                  (0x1000, 0x20a0, judge.UNJUDGED)):
            self.assertEqual(truth.function(old, new), verdict, f"{old:#x} {new:#x}")

    def test_blocks_share_a_place_or_not(self):
        truth = self.judge()
        for old, new, verdict in (((0x1004, 0x1008), (0x2004, 0x2008), judge.RIGHT),
                                  ((0x1000, 0x1008), (0x2004, 0x200c), judge.RIGHT),     # one of several
                                  ((0x1004, 0x1008), (0x2008, 0x200c), judge.WRONG),
                                  ((0x1008, 0x100c), (0x2004, 0x2008), judge.UNJUDGED),  # no line
                                  ((0x1010, 0x1020), (0x2004, 0x2008), judge.UNJUDGED),  # line 90 is in the old one only
                                  ((0x1004, 0x1008), (0x2010, 0x2020), judge.UNJUDGED),  # line 95 in the new one only
                                  ((0x1000, 0x1004), (0x2000, 0x2004), judge.UNJUDGED)): # another column
            self.assertEqual(truth.block(old, new), verdict, f"{old} {new}")

    def test_blocks_without_columns(self):
        self.assertEqual(self.judge(columns=False).block((0x1000, 0x1004), (0x2000, 0x2004)), judge.RIGHT)

    def test_blocks_of_moved_and_of_changed_lines(self):
        line_map = judge.LineMap({})
        line_map.maps["one.c"] = {10: 10, 11: 11, 90: 95}  # 20 was changed
        truth = self.judge(line_map)
        self.assertEqual(truth.block((0x1010, 0x1020), (0x2010, 0x2020)), judge.RIGHT)
        self.assertEqual(truth.block((0x1010, 0x1020), (0x2004, 0x2008)), judge.WRONG)
        self.assertEqual(truth.block((0x1020, 0x1030), (0x200c, 0x2010)), judge.UNJUDGED)
        self.assertEqual([truth.is_known(block) for block in ((0x1010, 0x1020), (0x1020, 0x1030))], [True, False])

    def test_data(self):
        truth = self.judge()
        for old, new, verdict in ((0x4000, 0x5000, judge.RIGHT),
                                  (0x4004, 0x5000, judge.RIGHT),     # 4 bytes of each
                                  (0x4008, 0x5000, judge.WRONG),     # another part of what did not grow
                                  (0x4010, 0x5010, judge.RIGHT),     # count.0 is count.3
                                  (0x4028, 0x5028, judge.RIGHT),     # it has grown
                                  (0x4000, 0x5010, judge.WRONG),
                                  (0x4018, 0x5000, judge.WRONG),     # the old binary has table
                                  (0x4030, 0x5000, judge.UNJUDGED)):
            self.assertEqual(truth.data((old, old + 8), (new, new + 8)), verdict, f"{old:#x} {new:#x}")


class Databases(Handmade):
    def database(self, functions=((0x1000, 0x2000),), blocks=((0x1004, 4, 0x2004, 4),), data=((0x4000, 8, 0x5000, 8),),
                 instructions=((1, 0x1004, 0x2004),), unmatched=(), counts=(1, 1, 1), drop=None, old=None):
        path = os.path.join(self.directory.name, "match.db")
        if os.path.exists(path):
            os.unlink(path)
        connection = sqlite3.connect(path)
        connection.executescript("""pragma synchronous = off;
            create table file (side, path, build_id, functions, basicblocks, data);
            create table function (address1, name1, address2, name2, rule, level, strength);
            create table basicblock (id, address1, size1, address2, size2, rule, level, strength);
            create table instruction (basicblock_id, address1, address2);
            create table data (address1, size1, address2, size2, rule, level, strength);
            create table unmatched (side, kind, address, size);""")
        for side, at, ident in (("old", old or self.paths[0], "0a"), ("new", self.paths[1], None)):
            connection.execute("insert into file values (?,?,?,?,?,?)", (side, at, ident, *counts))
        for a, b in functions:
            connection.execute("insert into function values (?,?,?,?,'name',null,'exact')", (a, None, b, "main"))
        for number, row in enumerate(blocks, 1):
            connection.execute("insert into basicblock values (?,?,?,?,?,'block-hash','1','fair')", (number, *row))
        connection.executemany("insert into data values (?,?,?,?,'data-hash',null,'weak')", data)
        connection.executemany("insert into instruction values (?,?,?)", instructions)
        connection.executemany("insert into unmatched values (?,?,?,1)", unmatched)
        if drop:
            connection.execute(f"drop table {drop}")
        connection.commit()
        connection.close()
        return path

    def check(self, **what):
        return check.check(self.database(**what), self.paths, self.judge().symbols)

    def test_a_sound_one(self):
        self.assertEqual(self.check(), [])
        alone = [(side, kind, address[side == "new"]) for side in ("old", "new")
                 for kind, address in (("basicblock", (0x1000, 0x2000)), ("data", (0x4008, 0x5008)))]
        self.assertEqual(self.check(unmatched=alone, counts=(1, 2, 2)), [])

    def test_every_table_must_be_there(self):
        for table in check.TABLES:
            self.assertEqual(self.check(drop=table), [f"there is no table {table}"])

    def test_an_address_twice(self):
        two = {"counts": (2, 1, 1), "functions": ((0x1000, 0x2000), (0x1000, 0x2000))}
        self.assertEqual(self.check(**two), ["function: 0x1000 is there 2 times on side 1",
                                             "function: 0x2000 is there 2 times on side 2"])
        self.assertEqual(len(self.check(blocks=((0x1004, 4, 0x2004, 4), (0x1008, 4, 0x2004, 4)), counts=(1, 2, 1))), 1)
        self.assertEqual(len(self.check(data=((0x4000, 8, 0x5000, 8), (0x4000, 8, 0x5008, 8)), counts=(1, 1, 2))), 1)
        self.assertEqual(len(self.check(instructions=((1, 0x1004, 0x2004), (1, 0x1004, 0x2006)))), 1)

    def test_addresses_of_the_other_binary_or_of_none(self):
        for what in ({"functions": ((0x2000, 0x2000),)}, {"blocks": ((0x1004, 4, 0x20fe, 4),), "instructions": ((1, 0x1004, 0x20fe),)},
                     {"data": ((0x4000, 8, 0x4000, 8),)}, {"data": ((0x1000, 8, 0x5000, 8),)},
                     {"instructions": ((1, 0x1008, 0x2004),)}, {"instructions": ((2, 0x1004, 0x2004),)},
                     {"unmatched": (("old", "data", 0x5008),), "counts": (1, 1, 1)}):
            self.assertTrue(any("not in binary" in text or "outside" in text for text in self.check(**what)), what)

    def test_other_names_other_binaries_and_missing_rows(self):
        self.assertIn("is ['clone'] in binary 2, not main", self.check(functions=((0x1000, 0x2040),))[0])
        self.assertIn("file: the old binary", self.check(old="/other")[0])
        self.assertEqual(len(self.check(counts=(2, 1, 1))), 2)
        self.assertEqual(len(self.check(counts=(1, 1, 3))), 2)
        self.assertIn("data is empty", self.check(data=(), counts=(1, 1, 0)))

    def test_blocks_of_unmatched_functions_are_not_counted(self):
        alone = (("old", "function", 0x1020), ("new", "function", 0x2020))
        self.assertEqual(self.check(unmatched=alone, counts=(2, 9, 1)), [])
        self.assertEqual(len(self.check(counts=(1, 9, 1))), 2)

    def test_verdicts_are_counted_by_rule(self):
        path = self.database(functions=((0x1000, 0x2000), (0x1020, 0x2030)))
        rows, wrong = judge.judge(path, self.judge())
        self.assertEqual(rows["function", "name", "", "exact"], {judge.RIGHT: 1, judge.WRONG: 1})
        self.assertEqual(rows["basicblock", "block-hash", "1", "fair"], {judge.RIGHT: 1})
        self.assertEqual(rows["data", "data-hash", "", "weak"], {judge.RIGHT: 1})
        self.assertEqual(wrong, [("function", "name", "", "exact", 0x1020, 0x2030)])

    def test_recall(self):
        path = self.database(functions=((0x1000, 0x2000), (0x1020, 0x2040), (0x1070, 0x2060)))
        blocks = [(0x1004, 0x1008), (0x100c, 0x1010), (0x1010, 0x1020)]  # the last one has no place in the new binary
        self.assertEqual(judge.recall(path, self.judge(), blocks),
                         {"function": (2, 4),  # of main, helper, clone, alias_b
                          "basicblock": (1, 2), "data": (1, 3)})  # of table, count, unique


class Floors(unittest.TestCase):
    @staticmethod
    def rows(right, wrong, strength="strong"):
        return {("function", "name", "", strength): collections.Counter({judge.RIGHT: right, judge.WRONG: wrong})}

    def test_precision(self):
        self.assertEqual(run.below_floors(self.rows(99, 1), {}, None), [])
        self.assertEqual(len(run.below_floors(self.rows(98, 2), {}, None)), 1)
        self.assertEqual(len(run.below_floors(self.rows(998, 2, "exact"), {}, None)), 1)
        self.assertEqual(run.below_floors(self.rows(1, 99, "weak"), {}, None), [])
        self.assertEqual(run.below_floors(self.rows(0, 0), {}, None), [])

    def test_precision_is_of_all_rules_of_a_strength(self):
        rows = self.rows(98, 2)
        rows["function", "hash", "0", "strong"] = collections.Counter({judge.RIGHT: 100})
        self.assertEqual(run.below_floors(rows, {}, None), [])

    def test_recall(self):
        floors = {"function": 0.9}
        self.assertEqual(run.below_floors({}, {"function": (90, 100)}, floors), [])
        self.assertEqual(len(run.below_floors({}, {"function": (89, 100)}, floors)), 1)
        self.assertEqual(len(run.below_floors({}, {"function": (0, 0)}, floors)), 1)
        self.assertEqual(run.below_floors({}, {"function": (89, 100)}, None), [])

    def test_names_of_pairs(self):
        self.assertEqual([title for title in run.NORMAL if title not in run.EVERY], [])
        self.assertEqual(len(set(run.EVERY)), len(run.EVERY))


if __name__ == "__main__":
    unittest.main()

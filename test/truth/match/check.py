# SPDX-License-Identifier: MIT
"""What must hold in every database of `twinrun match -o FILE`, whatever the pairs are worth: its tables are there, it is
about these two binaries, every address is in a section of the right kind of the right binary, none is there twice on
a side, and what is matched and what is not are all there is."""
import re
import sqlite3

import judge

TABLES = ("file", "function", "basicblock", "instruction", "data")


def build_id(binary):
    match = re.search(r"Build ID: ([0-9a-f]+)", judge.output("readelf", "-nW", binary))
    return match and match[1]


def one_to_one(connection, table):
    """An address that is twice on a side."""
    for side in (1, 2):
        for address, count in connection.execute(
                f"select address{side}, count(*) from {table} group by address{side} having count(*) > 1 limit 1"):
            yield f"{table}: {address:#x} is there {count} times on side {side}"


def addresses(connection, sections):
    """Rows whose addresses are not of their binary; one of each table and side."""
    for side in (1, 2):
        of = sections[side - 1]
        for table, size, holds in (("function", "1", of.has_code), ("basicblock", f"size{side}", of.has_code),
                                   ("data", f"size{side}", of.has_data)):
            for start, length in connection.execute(f"select address{side}, {size} from {table}"):
                if not holds(start, start + length):
                    yield f"{table}: {start:#x} to {start + length:#x} is not in binary {side}"
                    break
            for start, in connection.execute("select address from unmatched where side = ? and kind = ?",
                                             (("old", "new")[side - 1], table)):
                if not holds(start, start + 1):
                    yield f"unmatched {table}: {start:#x} is not in binary {side}"
                    break
    bad, = connection.execute(
        "select count(*) from instruction i left join basicblock b on b.id = i.basicblock_id where b.id is null "
        "or i.address1 not between b.address1 and b.address1 + b.size1 - 1 "
        "or i.address2 not between b.address2 and b.address2 + b.size2 - 1").fetchone()
    if bad:
        yield f"instruction: {bad} are outside of their blocks"


def names(connection, symbols):
    """Names that are not those of the addresses."""
    for side in (1, 2):
        for address, name in connection.execute(f"select address{side}, name{side} from function"):
            known = symbols[side - 1].functions.get(address)
            if name and known and name not in known:
                yield f"function: {address:#x} is {sorted(known)} in binary {side}, not {name}"
                break


def complete(connection):
    """Matched and unmatched are all; the blocks of a function without a partner are not listed, nor counted here."""
    for side, word in ((1, "old"), (2, "new")):
        for subject, column in (("function", "functions"), ("basicblock", "basicblocks"), ("data", "data")):
            every, = connection.execute(f"select {column} from file where side = ?", (word,)).fetchone()
            paired, = connection.execute(f"select count(*) from {subject}").fetchone()
            alone, = connection.execute("select count(*) from unmatched where side = ? and kind = ?",
                                        (word, subject)).fetchone()
            if subject == "basicblock" and connection.execute(
                    "select 1 from unmatched where side = ? and kind = 'function' limit 1", (word,)).fetchone():
                continue
            if paired + alone != every:
                yield f"{subject}: {paired} matched and {alone} unmatched are not the {every} of binary {side}"


def check(database, binaries, symbols):
    """What is wrong with the database, as a list of texts."""
    connection = sqlite3.connect(database)
    there = {name for name, in connection.execute("select name from sqlite_master where type = 'table'")}
    wrong = [f"there is no table {name}" for name in TABLES if name not in there]
    if wrong:
        return wrong
    about = dict((side, (path, ident)) for side, path, ident in connection.execute("select side, path, build_id from file"))
    for word, binary in zip(("old", "new"), binaries):
        if about.get(word) != (binary, build_id(binary)):
            wrong.append(f"file: the {word} binary is {about.get(word)}, not {(binary, build_id(binary))}")
    for table in ("function", "basicblock", "instruction", "data"):
        wrong += one_to_one(connection, table)
        if not connection.execute(f"select 1 from {table} limit 1").fetchone():
            wrong.append(f"{table} is empty")
    wrong += addresses(connection, [of.sections for of in symbols])
    wrong += names(connection, symbols)
    wrong += complete(connection)
    return wrong

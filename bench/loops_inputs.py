# SPDX-License-Identifier: MIT
"""Programs that read records, and inputs with one record more, less or changed.

Records are varied: names, numbers and texts of different lengths, from a seed. Each program does with
them what such programs do: fields, hashes, patterns, a sort, a document tree.
"""
import random
import shutil

WORDS = "amber birch cobalt delta ember fjord garnet harbor indigo juniper kelp lumen mango nectar opal".split()
EDITS = ("inserted", "deleted", "changed", "first")


def records(count, seed=1):
    rng = random.Random(seed)

    def one(i):
        text = " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, 6)))
        return (f"{rng.choice(WORDS)}{i}", rng.randint(1, 10 ** rng.randint(1, 6)), text)

    return [one(i) for i in range(count)], one(count + 7)


def edited(rows, extra, edit):
    middle = len(rows) // 2
    if edit == "inserted":
        return rows[:middle] + [extra] + rows[middle:]
    if edit == "deleted":
        return rows[:middle] + rows[middle + 1:]
    if edit == "changed":
        return rows[:middle] + [extra] + rows[middle + 1:]
    return rows[1:] if edit == "first" else rows


def table(rows):
    return "".join(f"{name} {number} {text}\n" for name, number, text in rows)


def m4(rows):
    return ("define(`add', `ifelse($2, 0, `$1', `$1: eval($2 * 3 + len(`$3')) translit(`$3', `a-m', `n-z')')')dnl\n" +
            "".join(f"add(`{name}', `{number}', `{text}')\n" for name, number, text in rows))


def sql(rows):
    return ("create table t(name text primary key, number int, note text);\nbegin;\n" +
            "".join(f"insert into t values('{name}', {number}, '{text}');\n" for name, number, text in rows) +
            "commit;\nselect note, count(*), sum(number) from t where number > 50 group by substr(note, 1, 3);\n")


def json(rows):
    return "[\n" + ",\n".join(f'{{"name": "{name}", "number": {number}, "tags": [' +
                              ", ".join(f'"{w}"' for w in text.split()) + "]}" for name, number, text in rows) + "\n]\n"


def xml(rows):
    return ("<list>\n" + "".join(f'<item id="{name}" n="{number}"><note>{text}</note></item>\n'
                                 for name, number, text in rows) + "</list>\n")


def bc(rows):
    return "s = 0\n" + "".join(f"s = s + {number} * {len(text)} % 97\n" + (f"s / {len(name)}\n" if number % 3 else "")
                               for name, number, text in rows)


AWK = r"""{ n[$3] += $2; if (NF > 4) long++; s = s substr($1, 1, 2) }
/ember/ { gsub(/e/, "E"); print $1, length($0) }
END { for (k in n) print k, n[k]; print long, length(s) }"""
PERL = r"""while (<STDIN>) { chomp; my @f = split / /; $n{$f[2]} += $f[1]; $l{length $_}++; if (/(\w+) ember/) { print "$1 $f[0]\n" } }
print "$_ $n{$_}\n" for sort keys %n;"""
LUA = r"""local n, out = {}, {}
for line in io.lines() do
  local name, number, text = line:match("^(%S+) (%d+) (.*)$")
  n[text:sub(1, 3)] = (n[text:sub(1, 3)] or 0) + tonumber(number)
  if text:find("ember") then out[#out + 1] = name:upper() .. #text end
end
local keys = {}
for k in pairs(n) do keys[#keys + 1] = k end
table.sort(keys)
for _, k in ipairs(keys) do print(k, n[k]) end
print(table.concat(out, " "))"""

# Name: command, what makes the input; input by standard input.
PROGRAMS = {
    "gawk": (["gawk", AWK], table),
    "perl": (["env", "PERL_HASH_SEED=0", "perl", "-e", PERL], table),
    "m4": (["m4"], m4),
    "sqlite3": (["sqlite3", ":memory:"], sql),
    "jq": (["jq", "-c", "[.[] | select(.number > 50) | {name, size: (.tags | length)}] | group_by(.size) | map(length)"],
           json),
    "xmllint": (["xmllint", "--xpath", "count(//item[@n > 50]/note)", "-"], xml),
    "bc": (["bc", "-q"], bc),
    "lua5.4": (["lua5.4", "-e", LUA], table),
}


def installed():
    return {name: row for name, row in PROGRAMS.items() if shutil.which(name)}

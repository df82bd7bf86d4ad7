#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs of the system on two inputs that both are fine: `why` says nothing about misuse of memory.

usage: healthy.py [PROGRAM...]

TWINRUN_TEST_ALL=1 takes all pairs instead of four. TWINRUN_TEST_SEED (1) chooses them. What is not installed is left
out.
"""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

TWINRUN = os.environ["TWINRUN"]
ALL = os.environ.get("TWINRUN_TEST_ALL") == "1"

FILES = {
    "a.txt": "".join(f"{i} line {i * 37 % 101} of the text\n" for i in range(120)),
    "b.txt": "".join(f"{i} line {i * 41 % 103} of another text\n" for i in range(130)),
    "a.json": '{"name": "a", "list": [1, 2, 3, {"x": null}], "text": "\\u00e4bc"}',
    "b.json": '{"name": "bb", "list": [3, 2, {"y": 1.5e3}], "more": {"deep": [[], {}]}}',
    "a.xml": "<a><b c='1'>text &amp; more</b><d/></a>",
    "b.xml": "<a><b c='2'>text</b><e f='g'>h</e><!-- comment --></a>",
    "a.mk": "all: x\n\t@echo all $(words a b c)\nx:\n\t@echo x\n",
    "b.mk": "V = $(patsubst %.c,%.o,a.c b.c)\nall: y\n\t@echo $(V)\ny:\n\t@echo y\n",
    "a.awk": "{ n[$3] += $1 } END { for (k in n) s += n[k]; print s, length(n) }",
    "a.lua": "local t = {} for i = 1, 200 do t[i] = tostring(i) end print(#table.concat(t, ','))",
    "b.lua": "local s = 0 for w in ('a bb ccc'):gmatch('%a+') do s = s + #w end print(s, string.format('%5.2f', s))",
    "a.py": "print(sum(len(str(i)) for i in range(50)))",
    "b.py": "print(sorted({'b': 1, 'a': 2}.items()))",
    "a.pl": "my %h; $h{$_ % 7} .= $_ for 1..60; print join(',', map { length $h{$_} } sort keys %h), \"\\n\";",
    "b.pl": "my $s = 'the quick brown fox'; $s =~ s/(\\w+) (\\w+)/$2 $1/g; print uc $s, \"\\n\";",
    "a.m4": "define(`f', `$1-$2')f(1, 2) eval(3 * 4)\n",
    "b.m4": "define(`g', `ifelse($1, 0, 1, `eval($1 * g(decr($1)))')')g(6)\n",
    "a.bc": "scale=20\n4*a(1)\nquit\n",
    "b.bc": "for (i = 0; i < 9; i++) i^i\nquit\n",
    "a.sql": "create table t(a, b); insert into t values(1, 'x'), (2, 'y'); select a, upper(b) from t order by b desc;",
    "b.sql": "with recursive n(i) as (select 1 union all select i + 1 from n where i < 20) select sum(i), max(i) from n;",
    "a.sh": "for i in 1 2 3; do x=$x$i; done; echo $x ${x#1}\n",
    "b.sh": "f() { echo \"$1\" | cut -c1-2; }; f hello; case abc in a*) echo a;; esac\n",
}
# The command with @ for a and b.
PAIRS = {
    "gzip": "gzip -c @.txt", "bzip2": "bzip2 -c @.txt", "xz": "xz -T1 -c @.txt", "gawk": "gawk -f a.awk @.txt",
    "mawk": "mawk -f a.awk @.txt", "make": "make -f @.mk", "sqlite3": "sqlite3 :memory: '.read @.sql'",
    "lua5.4": "lua5.4 @.lua", "python3": "python3 -I -S @.py", "perl": "perl @.pl", "jq": "jq . @.json",
    "bc": "bc -lq @.bc", "sed": "sed -e 's/line/LINE/g;3d' @.txt", "grep": "grep -n '[05] line 1' @.txt",
    "sort": "sort -k3n @.txt", "tar": "tar -cf - @.txt", "dash": "dash @.sh", "bash": "bash @.sh", "m4": "m4 @.m4",
    "file": "file @.xml", "openssl": "openssl dgst -sha256 @.txt", "diff": "diff @.txt a.mk",
    "xmllint": "xmllint --format @.xml", "git": "git hash-object @.txt", "uniq": "uniq -c @.txt", "wc": "wc @.txt",
    "od": "od -c @.txt", "cut": "cut -d' ' -f2,3 @.txt", "tr": "tr a-z A-Z < @.txt", "patch": "patch --dry-run -o - a.txt @.mk",
}


def pair(name, tmp):
    """What is said, or nothing."""
    command = PAIRS[name]
    if "<" in command:
        command = f"dash -c '{command}'"
    env = dict(os.environ, TWINRUN_STORE=tmp + "/store", XDG_CACHE_HOME=tmp + "/cache", LC_ALL="C.UTF-8")
    names = []
    for side in "ab":
        names.append(f"{tmp}/{name}-{side}.twin")
        subprocess.run(f"{TWINRUN} record -o {names[-1]} -- {command.replace('@', side)}", shell=True, cwd=tmp, env=env,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    done = subprocess.run([TWINRUN, "why", "--json", *names], cwd=tmp, env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    if done.returncode not in (0, 1):
        return None, [f"why ended with {done.returncode}: {done.stderr.decode(errors='replace')}"]
    said = json.loads(done.stdout)
    return said, [one["text"] for one in said["misuse"]]


def main():
    there = [name for name in PAIRS if shutil.which(name)]
    chosen = sys.argv[1:] or there
    if not ALL and not sys.argv[1:]:
        chosen = random.Random(int(os.environ.get("TWINRUN_TEST_SEED", 1))).sample(there, 4)
    failures = 0
    with tempfile.TemporaryDirectory(prefix="twinrun-healthy-") as tmp:
        for name, text in FILES.items():
            with open(f"{tmp}/{name}", "w", encoding="utf-8") as f:
                f.write(text)
        for name in chosen:
            said, texts = pair(name, tmp)
            nodes = len(said["graph"]["nodes"]) if said else 0
            print(f"{'FAIL' if texts else 'ok  '} {name}: {nodes} nodes: {texts or 'no misuse'}", flush=True)
            failures += bool(texts)
    print(f"{len(chosen)} programs, {failures} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

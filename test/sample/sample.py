#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Records a sample of what is installed: 30 commands by a printed seed.

Half are drawn from a table of real invocations on generated input, half are programs of installed
packages asked for their version or help. Each is run natively twice; what differs between those two
is not ours to keep equal, and another one is drawn. Then it is recorded: output, error output,
status and files must be equal, and the recording must verify to its last event.

usage: sample.py [SEED [COUNT]]       with TWINRUN_TEST_ALL=1: 200 commands
"""
import hashlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TWINRUN = os.path.abspath(os.environ.get("TWINRUN", ROOT + "/build/release/bin/twinrun"))
ALL = os.environ.get("TWINRUN_TEST_ALL") == "1"
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
NATIVE_SECONDS = 2  # some programs compute for minutes whatever their arguments
RECORDED_SECONDS = 120

# Programs that talk to services, to terminals or to the machine, whatever their arguments.
AVOID = re.compile(
    r"^(su|sudo|login|passwd|ch(fn|sh|age)|newgrp|sg|mount|umount|fusermount.*|reboot|halt|poweroff|shutdown|"
    r"init|telinit|systemctl|service|dbus.*|gdbus|gvfs.*|x-.*|X.*|xdg-.*|vi|vim.*|nano|emacs.*|ed|editor|less|"
    r"more|pager|man|top|htop|watch|screen|tmux|script|ssh.*|scp|sftp|ftp|telnet|nc|nc\..*|ping.*|dhclient|gpg.*|"
    r"pinentry.*|kill.*|pkill|skill|snice|apt.*|dpkg.*|debconf.*|update-.*|.*-config|redis.*|mysql.*|psql|pg_.*|"
    r"stress-ng|valgrind.*|gdb.*|strace.*|ltrace|perf.*|unshare|nsenter|chroot|setarch|i386|x86_64|linux(32|64)|"
    r"docker.*|podman.*|chromium.*|java.*|j[a-z]+|node|npm|npx|yarn|go|cargo|rust.*|restic|gh|yes|tee|at|batch|"
    r"crontab|logger|wall|write|mesg|reset|clear|tset|stty|agetty|getty|rm.*|shred|mkfs.*|dd|sbcl|ghc.*|lldb.*|"
    r"git-(shell|cvsserver)|select-editor|sensible-.*|run-(parts|mailcap)|start-stop-daemon|twinrun|rr|uftrace|"
    r"lsof|fuser|crontab|tzselect|pstree.*|ps|w|who|users|last.*|uptime|free|vmstat|slabtop|pidof|pgrep|pwait)$")

# Real invocations; the shell runs them in a directory with the files of make_input().
TABLE = r"""
sort text | uniq -c | sort -rn | head
sort -k2,2 -k1,1n numbers
sort --parallel=2 -R --random-source=text numbers
sed -E 's/([a-z]+) ([0-9]+)/\2 \1/; /9$/d' text
awk -F: '{ s += NR * length($0) } END { print s }' text
gawk 'BEGIN { while (("seq 50" | getline x) > 0) s += x; print s, strftime("%Y", 0, 1) }'
grep -nE '(ab|cd)+[0-9]?' text
grep -c -v -i X text
tar -cf t.tar --mtime=@0 --owner=0 --group=0 --sort=name dir && tar -tvf t.tar && md5sum t.tar
find . -type f -size +1k -name '*e*' | sort
diff -u text numbers | head -n 40
cmp text numbers
openssl dgst -sha256 text numbers
openssl enc -aes-256-cbc -pass pass:x -nosalt -pbkdf2 -in text | md5sum
openssl prime 1000003
perl -e 'my %h; while (<>) { $h{$_}++ for split } print map { "$_ $h{$_}\n" } sort keys %h' text
perl -MDigest::SHA=sha1_hex -e 'print sha1_hex(join "", 1..1000), "\n"'
python3 -c 'import json, sys; d = {str(i): [i] * 3 for i in range(50)}; print(json.dumps(d, indent=1))'
python3 -c 'import zlib; d = open("text", "rb").read(); print(zlib.crc32(d), len(zlib.compress(d)))'
python3 -m dis small.py
python3 -c 'import this' | rev
python3 -c 'raise SystemExit(19)'
sqlite3 :memory: 'create table t(a, b); insert into t values (1, 2), (3, 4); select sum(a * b) from t; select json_array(1, 2);'
sqlite3 db 'create table t(a); insert into t values (7);' && sqlite3 db .dump
git -c init.defaultBranch=m init -q r && cd r && git hash-object ../text && git diff --no-index ../text ../numbers | tail -n 5
git -c core.pager=cat diff --no-index --stat text numbers
xz -kc text | xz -dc | md5sum
gzip -nc text | gunzip | md5sum
bzip2 -kc numbers | bunzip2 | md5sum
zstd -qc text | zstd -dc | md5sum
lz4 -qc text | lz4 -dc | md5sum
file text prog prog.o archive.a dir
objdump -d prog | grep -c call
objdump -h prog.o
readelf -aW prog | md5sum
nm -C prog | sort -k3 | tail -n 5
strings -n 8 prog | sort | head
size prog prog.o
strip -o stripped prog && ./stripped
ld -r prog.o -o again.o && nm again.o
as -o s.o small.s && objdump -d s.o
gcc -O2 -S -o - small.c | md5sum
gcc -E -P small.c | tail -n 3
cpp -dM /dev/null | sort | md5sum
$(gcc -print-prog-name=cc1) -quiet -O1 -fpreprocessed small.c -o - | md5sum
gcc -c small.c -o a.o && ar rcD x.a a.o && ar t x.a
g++ -x c++ -fsyntax-only small.c
./prog 30
make -n -f Makefile.sample
make -f Makefile.sample -s
m4 -DX=5 macros.m4
bc -l numbers.bc
echo '6 7 * p 2 64 ^ p' | dc
od -A x -t x1z text | tail -n 5
xxd text | head -n 5
hexdump -C numbers | head -n 5
base64 text | base64 -d | cmp - text
sha512sum text numbers && b2sum text && cksum numbers
cut -d' ' -f2 text | paste -sd+ | head -c 300
tr -cs a-z '\n' < text | sort -u | wc -l
comm -3 <(sort text) <(sort numbers) | head
join -t' ' <(sort text) <(sort numbers) | head
fold -w 40 text | fmt -w 60 | expand | nl | tail -n 4
split -l 100 numbers part. && wc -l part.*
csplit -s text 10 20 && md5sum xx*
tac numbers | head -n 3; rev text | tail -n 2; shuf --random-source=text -n 3 numbers
seq -f '%.3f' 1 0.25 5; factor 1234567890 97; expr 6 \* 7; numfmt --to=iec 123456789
date -u -d @1700000000 +%FT%T; cal 1 2024
stat -c '%n %s %a' text; ls -1 dir; du -b text; realpath --relative-to=/ /usr/bin/../lib | head -n1
cp -a dir copy && diff -r dir copy && mv copy moved && ln -s moved l && readlink l && rm -r moved
printf '%s %05d %x\n' a 42 255; echo -e 'a\tb'; test 3 -lt 4 && echo yes; env -i A=b env
lua5.4 -e 'local t = {} for i = 1, 100 do t[i] = i * i % 37 end table.sort(t) print(table.concat(t, " "))'
ruby -e 'puts (1..30).inject(:*), %w[b a].sort.inspect'
dash -c 'i=0; while [ $i -lt 50 ]; do i=$((i+1)); done; echo $i'
bash -c 'declare -A a; for i in {1..200}; do a[$((i % 7))]+=$i; done; echo ${a[3]}; exit 4'
timeout 5 sleep 0.05; echo $?; nice -n 3 true; nohup echo x 2>/dev/null
xargs -n 3 -P 1 echo < numbers | tail -n 2
patch -o - text < change.diff | md5sum
jq -c '.[] | select(.a > 1) | .b' data.json
awk 'BEGIN { exit 3 }'
false
ls /no/such/file
cat dir
kill -l 9; bash -c 'kill -TERM $$'
"""


def make_input(work):
    rng = random.Random(7)
    os.makedirs(work + "/dir/sub")
    words = ["abcd", "cdab", "xyzzy", "plugh", "foo", "bar", "quux", "ab", "longerword"]
    with open(work + "/text", "w", encoding="utf-8") as f:
        for i in range(400):
            f.write(f"{rng.choice(words)} {rng.randint(0, 999)} {rng.choice(words)}{i}\n")
    with open(work + "/numbers", "w", encoding="utf-8") as f:
        f.writelines(f"{rng.randint(0, 99999)} {i % 17}\n" for i in range(500))
    files = {
        "small.c": "#include <stddef.h>\nstatic int g(int n) { return n < 2 ? n : g(n - 1) + g(n - 2); }\nint f(int n) { return g(n) * 3; }\n",
        "small.py": "def f(x):\n    return [i * x for i in range(10) if i % 2]\nclass A: y = f(3)\n",
        "small.s": ".globl f\nf: lea (%rdi,%rdi,4), %rax\n ret\n",
        "prog.c": "#include <stdio.h>\n#include <stdlib.h>\nint main(int c, char **v) { long a = 0, b = 1; for (int i = c > 1 ? atoi(v[1]) : 10; i; i--) { long t = a + b; a = b; b = t; } printf(\"%ld\\n\", a); return 0; }\n",
        "Makefile.sample": "all: one two\n\t@echo all of $^\none two:\n\t@echo making $@ $(words $(wildcard *))\n",
        "macros.m4": "define(`twice', `$1 $1')twice(X) eval(X * 7) ifelse(X, 5, yes, no)\n",
        "numbers.bc": "scale=20\ns(1) * e(2)\n2 ^ 200 % 1000007\nquit\n",
        "data.json": '[{"a": 1, "b": "x"}, {"a": 2, "b": [1, {"c": null}]}]\n',
        "change.diff": "--- a\n+++ b\n@@ -0,0 +1 @@\n+first\n",
    }
    for name, content in files.items():
        with open(f"{work}/{name}", "w", encoding="utf-8") as f:
            f.write(content)
    for i in range(5):
        with open(f"{work}/dir/{'sub/' if i % 2 else ''}file{i}", "w", encoding="utf-8") as f:
            f.write("line\n" * (i * 300 + 1))
    subprocess.run(["gcc", "-g", "-c", "prog.c", "-o", "prog.o"], cwd=work, check=True)
    subprocess.run(["gcc", "prog.o", "-o", "prog"], cwd=work, check=True)
    subprocess.run(["ar", "rcD", "archive.a", "prog.o"], cwd=work, check=True)


def installed_programs():
    """Harmless invocations of the programs that installed packages brought."""
    lists = [f for f in os.listdir("/var/lib/dpkg/info") if f.endswith(".list")]
    names = set()
    for l in lists:
        with open("/var/lib/dpkg/info/" + l, encoding="utf-8") as f:
            for line in f:
                path = line.strip()
                if re.match(r"(/usr)?/bin/[^/]+$", path) and os.access(path, os.X_OK) and not os.path.isdir(path):
                    name = os.path.basename(path)
                    if not AVOID.match(name) and not os.stat(path).st_mode & 0o6000:
                        names.add(name)
    return [f"{n} {flag}" for n in sorted(names) for flag in ("--version", "--help")]


class Outcome:
    def __init__(self, status, out, err, files):
        self.key = (status, out, err, files)
        self.status, self.out, self.err, self.files = status, out, err, files


def run(command, template, work, seconds):
    """Runs in a copy of the template; None when it does not end in time."""
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(template, work, symlinks=True)
    env = {"PATH": PATH, "HOME": work, "LC_ALL": "C.UTF-8", "TERM": "dumb", "TZ": "UTC", "PYTHONHASHSEED": "0",
           "TMPDIR": work, "COLUMNS": "80", "PERL_HASH_SEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        p = subprocess.Popen(command, cwd=work, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                             start_new_session=True)
        try:
            p.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(p.pid, signal.SIGKILL)
            p.wait()
            return None
        out.seek(0)
        err.seek(0)
        status = p.returncode if p.returncode >= 0 else 128 - p.returncode
        files = []
        for here, dirs, names in os.walk(work):
            for n in sorted(names):
                path = os.path.join(here, n)
                if os.path.isfile(path):
                    with open(path, "rb") as f:
                        files.append((os.path.relpath(path, work), hashlib.sha256(f.read()).hexdigest()))
        # A recorded program sees another CPU (docs/limits.md), and some print its name.
        said = re.sub(rb"Host CPU: .*", b"Host CPU", out.read())
        return Outcome(status, said, err.read(), sorted(files))


def judge(command, tmp):
    """(verdict, remark): same, skip or FAIL."""
    shell = ["bash", "-c", command]
    template, work, trace = tmp + "/template", tmp + "/work", tmp + "/t.twin"
    a = run(shell, template, work, NATIVE_SECONDS)
    b = run(shell, template, work, NATIVE_SECONDS) if a else None
    if b is None:
        return "skip", f"runs longer than {NATIVE_SECONDS} s"
    if a.key != b.key:
        return "skip", "two native runs differ"
    if a.status == 127 or b"not found" in a.err:
        return "skip", "not installed"
    for left in (trace, trace + ".partial"):  # the last command's; the partial one when it was killed
        if os.path.exists(left):
            os.unlink(left)
    r = run([TWINRUN, "record", "-o", trace, "--", *shell], template, work, RECORDED_SECONDS)
    if r is None:
        return "FAIL", f"the recorded run did not end in {RECORDED_SECONDS} s"
    own = [l for l in r.err.splitlines(keepends=True) if l.startswith((b"twinrun: ", b"  = help"))]
    err = b"".join(l for l in r.err.splitlines(keepends=True) if l not in own)
    p = subprocess.run([TWINRUN, "verify", trace], capture_output=True, check=False)
    if p.returncode != 0:
        return "FAIL", f"verify: {(p.stdout + p.stderr)[-300:]!r}"
    for what, x, y in (("status", a.status, r.status), ("stdout", a.out, r.out), ("stderr", a.err, err),
                       ("files", a.files, r.files)):
        if x != y:
            codes = re.findall(rb"W\d{3}", b"".join(own))
            if codes:
                return "listed", f"{what} differs, {codes[0].decode()} said"
            return "FAIL", f"{what}: {str(x)[-200:]} became {str(y)[-200:]}"
    return "same", f"status {r.status}, {len(r.out)} bytes"


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else random.randrange(10**6) if ALL else 1
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 200 if ALL else 30
    print(f"seed {seed}, {count} commands", flush=True)
    rng = random.Random(seed)
    real = [l for l in TABLE.strip().splitlines()]
    programs = installed_programs()
    rng.shuffle(real)
    rng.shuffle(programs)
    done = failed = 0
    with tempfile.TemporaryDirectory(prefix="twinrun-sample-") as tmp:
        os.makedirs(tmp + "/template")
        make_input(tmp + "/template")
        while done < count and (real or programs):
            source = real if real and (done % 2 == 0 or not programs) else programs
            command = source.pop()
            verdict, remark = judge(command, tmp)
            print(f"{verdict:6} {command}: {remark}", flush=True)
            done += verdict != "skip"
            failed += verdict == "FAIL"
    print(f"{done} commands recorded, {failed} fail")
    sys.exit(1 if failed or done < count else 0)


if __name__ == "__main__":
    main()

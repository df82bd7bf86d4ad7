# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A trace for Perfetto: calls nest, times go up, each end has its begin, limits are told.
needs_recorder
cat >prog.c <<'C'
#include <pthread.h>
#include <stdlib.h>
#define KEEP __attribute__((noinline, noclone))
static volatile int sink;
KEEP int leaf(int x) { return sink = x; }
KEEP int half(int n) { for (int i = 0; i < n; ++i) leaf(i); return sink; }
KEEP int other(int n) { return half(n) + sink; }
static void *work(void *p) { half(3); sink++; return p; }
int main(int argc, char **argv) {
  half(50);
  if (argc > 2) other(20);
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  pthread_join(t, 0);
  return 0;
}
C
gcc -O2 -g -pthread -o prog prog.c
twinrun record -q -o good -- ./prog x
twinrun record -q -o bad -- ./prog x y
cat >check.py <<'PY'
import collections, json, subprocess, sys

def fields(data):
    out, at = collections.defaultdict(list), 0
    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(data):
        key = varint()
        if key & 7 == 0:
            out[key >> 3].append(varint())
        else:
            assert key & 7 == 2, key
            size = varint()
            assert at + size <= len(data)
            out[key >> 3].append(data[at:at + size])
            at += size
    return out

class Trace:
    def __init__(self, path):
        self.tracks, self.slices, names = {}, [], {}
        open_slices, last = collections.defaultdict(list), {}
        for packet in map(fields, fields(open(path, "rb").read())[1]):
            sequence = packet[10][0]
            for data in packet[12]:
                for entry in map(fields, fields(data)[2]):
                    assert (sequence, entry[1][0]) not in names
                    names[sequence, entry[1][0]] = entry[2][0].decode()
            for track in map(fields, packet[60]):
                kind = "process" if track[3] else "thread" if track[4] else "track"
                about = fields((track[3] or track[4] or [b""])[0])
                name = (about[6] or about[5] or track[2])[0].decode()
                assert track[1][0] not in self.tracks
                self.tracks[track[1][0]] = (kind, name, (track[5] or [0])[0], about)
            for event in map(fields, packet[11]):
                track, when = event[11][0], packet[8][0]
                assert self.tracks[track][0] != "process" and when >= last.get(track, 0)
                last[track] = when
                if event[9] == [1]:
                    open_slices[track].append((when, names[sequence, event[10][0]]))
                else:
                    assert event[9] == [2]
                    begin, name = open_slices[track].pop()
                    depth = len(open_slices[track])
                    self.slices.append((track, begin, when, name, depth))
        assert not any(open_slices.values())

def run(*words):
    return json.loads(subprocess.run(["twinrun", *words, "--json"], check=True, stdout=subprocess.PIPE).stdout)

one, pair, cut = Trace("one.pb"), Trace("pair.pb"), Trace("cut.pb")
named = collections.Counter(s[3] for s in one.slices)
assert named["leaf"] == 53 and named["half"] == 2 and named["main"] == 1, named
assert [t[0] for t in one.tracks.values()] == ["process", "thread", "thread"]
assert "1 ns is 1 instruction" in next(iter(one.tracks.values()))[1]
# The same calls, with as many instructions, as `calls` has.
calls = run("calls", "--all-modules", "--limit", "0", "--fold", "0", "--no-values", "good")["rows"]
def of(name):
    return sorted(r["instructions"] for r in calls if r["function"] == name)
for name in ("leaf", "half", "main", "work"):
    assert sorted(s[2] - s[1] for s in one.slices if s[3] == name) == of(name), name
total = run("info", "good")["instructions"]
assert sum(s[2] - s[1] for s in one.slices if s[4] == 0) == total
# A limit keeps the longest, with all that is around them.
assert len(cut.slices) <= 100 and "main" in {s[3] for s in cut.slices}
kept = min(s[2] - s[1] for s in cut.slices)
assert len(cut.slices) == sum(s[2] - s[1] >= kept for s in one.slices)
# Two runs, and what only one of them did.
assert [t[1][:6] for t in pair.tracks.values() if t[0] == "process"] == ["A good", "B bad:"]
only = [t for t, row in pair.tracks.items() if row[1] == "only in this run"]
assert only and all(pair.tracks[pair.tracks[t][2]][0] == "thread" for t in only)
regions = [s for s in pair.slices if s[0] in only]
aligned = json.loads(subprocess.run(["twinrun", "align", "good", "bad", "--json"], stdout=subprocess.PIPE).stdout)
assert sum(s[2] - s[1] for s in regions) == aligned["only_a"] + aligned["only_b"], aligned
assert any("main" in s[3] for s in regions), regions
PY
twinrun export good --format perfetto -o one.pb >/dev/null
twinrun export good bad --format perfetto >pair.pb
twinrun export good --format perfetto --limit 100 >cut.pb 2>err
has err "calls are left out" "--limit"
python3 check.py

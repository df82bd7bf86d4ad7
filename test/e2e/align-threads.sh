# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Threads that hand a mutex over: each is aligned by itself, whoever runs when, and nothing is lost.
needs_recorder
cat >prog.c <<'EOF'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;
static int turns;
static long climb(long n) { return n <= 0 ? 1 : n + climb(n - 1); }
static void* work(void* mine) {
  for (int i = 0; i < turns; ++i) {
    pthread_mutex_lock(&lock);
    total += climb((long)mine % 7 + i % 3);
    pthread_mutex_unlock(&lock);
  }
  return 0;
}
int main(int argc, char** argv) {
  turns = atoi(argv[1]);
  pthread_t ids[12];
  for (long i = 0; i < 12; ++i) pthread_create(&ids[i], 0, work, (void*)i);
  for (int i = 0; i < 12; ++i) pthread_join(ids[i], 0);
  return total == 0;
}
EOF
gcc -O1 -g -fno-optimize-sibling-calls -pthread prog.c -o prog
twinrun record -q -o a -- ./prog 400
twinrun record -q -o b -- ./prog 410
twinrun align --json a a >itself.json
not twinrun align --json a b >other.json

python3 - <<'EOF'
import json

itself = json.load(open("itself.json"))
assert len(itself["threads"]) == 13, itself["threads"]
for t in itself["threads"]:
    assert t["aligned"] == t["instructions_a"] == t["instructions_b"] and t["divergences"] == 0, t
other = json.load(open("other.json"))
assert len(other["threads"]) == 13
for t in other["threads"]:
    assert t["aligned"] + t["only_a"] == t["instructions_a"], t
    assert t["aligned"] + t["only_b"] == t["instructions_b"], t
# Ten turns more, each at its loop's end; the mutex may wait at another turn.
for t in other["threads"][1:]:
    assert t["only_b"] > 0 and t["aligned"] > 0.8 * t["instructions_a"], t
for key in ("aligned", "only_a", "only_b"):
    assert other[key] == sum(t[key] for t in other["threads"])
EOF

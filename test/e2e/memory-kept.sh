# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What a recording tells of memory is kept beside it: by `record --follow-memory`, or by the first `why`. It is taken from
# there with the same answers; never when it does not fit.
needs_recorder
cat >prog.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
  char *kept[50] = {0};
  for (int i = 0; i < 20000; i++) {
    free(kept[i % 50]);
    kept[i % 50] = malloc(20 + i % 90);
    memset(kept[i % 50], argv[1][0], 20);
  }
  for (int i = 0; i < 50; i++) printf("%.3s\n", kept[i]);
  return 0;
}
C
gcc -g -O1 -fno-builtin -o prog prog.c
store=$XDG_DATA_HOME/twinrun
twinrun record -q -o a -- ./prog x >/dev/null
twinrun record -q -o b -- ./prog y >/dev/null
file=$store/a.twin.memory-1
stamp() { stat -c %i,%y "$file"; }
log() { twinrun calls --allocations --json a >"$1"; }
ask() {
  rm -f "$store"/*.why-*
  status 1 twinrun why a b >"$1.why"
  log "$1.log"
}
alike() { same first.why "$1.why" && same first.log "$1.log"; }
# The log alone is not kept: who wants pointers wants more.
log first.log
[[ ! -e $file ]]
ask first
[[ -e $file && -e $store/b.twin.memory-1 && $(stat -c %a "$file") == 600 ]]
before=$(stamp)
ask again
alike again
# It was taken, not made anew.
[[ $(stamp) == "$before" ]]
# Other rules make another log, which is not kept.
twinrun calls --allocations --allocator memset:3 a >out
has out "memset"
rm -f "$store"/*.why-*
status 1 twinrun why --allocator memset:3 a b >out
[[ $(stamp) == "$before" ]]
# What is damaged, cut, foreign or another recording's is made anew.
for damage in 'printf X | dd of="$file" bs=1 seek=900 conv=notrunc status=none' 'truncate -s 100 "$file"' ': >"$file"' \
  'echo foreign >"$file"' 'cp "$store/b.twin.memory-1" "$file"'; do
  eval "$damage"
  before=$(stamp)
  ask damaged
  alike damaged
  [[ $(stamp) != "$before" && $(stat -c %s "$file") -gt 1000 ]]
done
# So is one from before the binary was built again: other names, other allocators.
before=$(stamp)
touch prog
ask touched
alike touched
[[ $(stamp) != "$before" ]]
# record makes the same one, and says what that took.
twinrun record -q --follow-memory --json summary.json -o c -- ./prog x >/dev/null
json summary.json 'd["memory_cpu_seconds"] > 0'
[[ -e $store/c.twin.memory-1 ]]
twinrun calls --allocations --json c >c.log
rm "$store/c.twin.memory-1"
twinrun calls --allocations --json c >again.log
same c.log again.log
rm summary.json
twinrun record -q --json summary.json -o d -- ./prog x >/dev/null
json summary.json 'd["memory_cpu_seconds"] == 0'
[[ ! -e $store/d.twin.memory-1 ]]
status 125 twinrun record --follow-memory --control-flow-only -o e -- ./prog x 2>err
has err "C008"
# A store that cannot be written is no trouble.
if [[ $(id -u) != 0 ]]; then
  rm -f "$store"/*.why-* "$store"/*.memory-*
  chmod 500 "$store"
  status 1 twinrun why a b >locked 2>err
  chmod 700 "$store"
  [[ ! -s err ]]
  same first.why locked
fi
# It goes with its recording, and no other's does.
ask back
twinrun rm a >out
[[ -z $(find "$store" -name 'a.twin*') && -e $store/b.twin.memory-1 ]]

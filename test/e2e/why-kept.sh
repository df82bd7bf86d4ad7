# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The answer is kept beside the recordings and taken from there, with the same bytes; never when it does not fit.
needs_recorder
tiny_header
cat >prog.c <<'C'
#include "tiny.h"
static int limit;
static void set(const char *text) { limit = text[0]; }
int main(int argc, char **argv) {
  set(argv[1]);
  for (int i = 0; i < 60; i++) {
    if (i == limit) return 5;
  }
  return 0;
}
C
cc -static -nostdlib -g -O0 -o prog prog.c
store=$XDG_DATA_HOME/twinrun
status 5 twinrun record -q --no-binaries -o a -- ./prog 0
twinrun record -q --no-binaries -o b -- ./prog A
kept() { find "$store" -name '*.why-*' | sort; }
ask() {
  status 1 twinrun why a b >"$1.why"
  status 1 twinrun why --json a b >"$1.json"
  twinrun show D1 a b >"$1.show"
  twinrun export a b --format sarif >"$1.sarif"
  status 1 twinrun report --json a b >"$1.report"
}
alike() { for what in why json show sarif report; do same "first.$what" "$1.$what"; done; }
ask first
[[ $(kept | wc -l) == 1 ]]
file=$(kept)
[[ $file == "$store"/a.twin.why-* && $(stat -c %a "$file") == 600 ]]
stamp=$(stat -c %i,%y "$file")
ask again
alike again
# It was taken, not made anew: the file is the same one.
[[ $(stat -c %i,%y "$file") == "$stamp" ]]
# Flags that matter have an answer of their own.
status 1 twinrun why --enhance none a b >none
[[ $(kept | wc -l) == 2 ]]
# What is damaged, cut or foreign is made anew.
for damage in 'printf X | dd of="$file" bs=1 seek=60 conv=notrunc status=none' 'truncate -s 100 "$file"' ': >"$file"' 'echo foreign >"$file"'; do
  eval "$damage"
  ask damaged
  alike damaged
  [[ $(stat -c %i,%y "$file") != "$stamp" && $(stat -c %s "$file") -gt 500 ]]
done
# So is one from before the binary was built again. The source is read when the answer is printed.
stamp=$(stat -c %i,%y "$file")
touch prog
ask touched
alike touched
[[ $(stat -c %i,%y "$file") != "$stamp" ]]
# Debug information can be in a file of its own, which the binary names.
objcopy --only-keep-debug prog prog.debug
strip -g prog
objcopy --add-gnu-debuglink=prog.debug prog
ask apart
alike apart
stamp=$(stat -c %i,%y "$file")
ask again
[[ $(stat -c %i,%y "$file") == "$stamp" ]]
mv prog.debug away
status 1 twinrun why a b >without
not grep -q "prog\.c" without
mv away prog.debug
ask back
alike back
sed -i 's/int i = 0/int i=0/; s/if (i == limit)/if (i==limit)/' prog.c
status 1 twinrun why a b >edited
has edited "if (i==limit) return 5;"
# Recordings in two directories: nobody who removes one would find it.
mkdir x y
cp "$store/a.twin" x/a.twin
cp "$store/b.twin" y/b.twin
status 1 twinrun why x/a.twin y/b.twin >apart
[[ -z $(find x y -name '*.why-*') ]]
# A store that cannot be written is no trouble.
if [[ $(id -u) != 0 ]]; then
  rm -f "$store"/*.why-*
  chmod 500 "$store"
  status 1 twinrun why a b >locked 2>err
  [[ ! -s err ]]
  chmod 700 "$store"
  same edited locked
  status 1 twinrun why a b >edited
fi
# With either recording its answers go, and no others.
status 5 twinrun record -q -o c -- ./prog 0
status 0 twinrun why c c >out
status 1 twinrun why c b >out
before=$(kept | wc -l)
twinrun rm a >out
[[ -z $(find "$store" -name 'a.twin*') && $(kept | wc -l) -lt $before ]]
[[ $(kept | wc -l) == 2 ]]
twinrun rm b >out
[[ $(kept | wc -l) == 1 && $(kept) == "$store"/c.twin.why-* ]]

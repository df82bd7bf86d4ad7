# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A binary that is gone, changed or without debug information: a warning, addresses for names.
needs_recorder
cat >prog.c <<'C'
__attribute__((noipa)) int f(int x) { return x * 3; }
int main(int argc, char **argv) { return f(argc + 13); }
C
cc -g -O1 -o prog prog.c
cp prog whole
status 42 twinrun record --no-binaries -o run -- ./prog
step=$(twinrun dump run | grep -A1 ' f+' | grep ' main+' | awk '{ print $1 }')
twinrun who --at "$step" --what eax run >out 2>err
has out "prog.c:1 f+"
test ! -s err
# Without debug information: functions, no lines.
strip -g prog
twinrun who --at "$step" --what eax run >out 2>err
has out " f+"
not grep -q -- "prog.c" out
has err "prog: there is no debug information"
# Without symbols: the module.
strip prog
twinrun who --at "$step" --what eax run >out 2>err
has out "prog+0x"
not grep -q -- " f+" out
# Another build of it.
sed 's/x \* 3/x * 5/' prog.c >other.c
cc -g -O1 -o prog other.c
twinrun who --at "$step" --what eax run >out 2>err
not grep -q -- " f+" out
has err "warning: " "has changed since it was recorded" "addresses instead of names"
twinrun slice --at "$step" run >out 2>err
has err "has changed since it was recorded"
twinrun dump --values --range "$step..+2" run >out 2>err
has err "has changed since it was recorded"
# Gone.
rm prog
twinrun who --at "$step" --what eax run >out 2>err
has out "prog+0x"
has err "warning: " "addresses instead of names"
# Something else of that name.
echo text >prog
twinrun who --at "$step" --what eax run >out 2>err
has err "addresses instead of names"
cp whole prog
twinrun who --at "$step" --what eax run >out 2>err
has out "prog.c:1 f+"
test ! -s err

# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The chain of writers ends at the byte of the file that a value came from; the slice has it too.
needs_recorder
cat >prog.c <<'C'
#include <fcntl.h>
#include <unistd.h>
struct box { char pad[3]; char c; };
static struct box b;
__attribute__((noinline)) void put(struct box *p, char v) { p->c = v; }
__attribute__((noinline)) int get(struct box *p) { return p->c; }
int main(void) {
  char buf[16];
  int fd = open("data", O_RDONLY);
  if (lseek(fd, 2, SEEK_SET) != 2 || read(fd, buf, 8) != 8) return 99;
  put(&b, buf[5]);
  return get(&b);
}
C
cc -g -O1 -fno-inline -o prog prog.c
printf '0123456\052890' >data
status 42 twinrun record -o run -- ./prog
twinrun dump run >all
step=$(grep -A1 ' main+' all | grep __libc_start_call_main | tail -1 | awk '{print $1}')
twinrun who --at "$step" --what eax run >out
has out "get+" "put+" "prog.c:5" "0x2a" "system call read from data, byte 7"
twinrun who --at "$step" --what eax --json run | python3 -c '
import json, sys
report = json.load(sys.stdin)
assert report["schema"] == "twinrun.who.v1"
last = [r for r in report["rows"] if r["kind"] == "syscall"]
assert len(last) == 1 and last[0]["input"] == "data" and last[0]["input_offset"] == 7, last
assert last[0]["value"] == "0x2a", last
'
twinrun slice --at "$step" --what eax --no-addresses run >out
has out "put+" "(syscall)"
twinrun slice --at "$step" --what eax --dot run >out
has out 'digraph slice {'
twinrun slice --at "$step" --limit 3 run >out
has out "cut at --limit"
status 2 twinrun who --at "$step" --what nonsense run 2>err
has err "P003" "there is no nonsense here"
status 2 twinrun who --at 99999999999 --what rax run 2>err
has err "T008"
status 42 twinrun record --control-flow-only -o flow -- ./prog
status 2 twinrun who --at 100 --what rax flow 2>err
has err "V001" "without --control-flow-only"

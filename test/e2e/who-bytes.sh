# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A copy through vector registers keeps bytes apart: one byte of 60 comes from one byte of input.
needs_recorder
cat >prog.c <<'C'
#include <string.h>
#include <unistd.h>
char in[64], out[64];
int main(void) {
  for (int i = 0; i < 6; i++)
    if (read(0, in + 10 * i, 10) != 10) return 1;
  memcpy(out, in, 60);
  volatile char c = out[37];
  return c;
}
C
cc -g -O1 -o prog prog.c
printf '%060d' 0 | sed 's/./7/38' >data
status 55 twinrun record -o run -- ./prog <data
step=$(twinrun dump run | grep ' main+' | tail -1 | awk '{ print $1 }')
twinrun who --at "$step" --what 'out[37]' --json run >out
json out 'len(d["rows"]) > 2 and [r for r in d["rows"] if r["kind"] == "syscall"] == [d["rows"][-1]]'
json out 'd["rows"][-1]["input"] == "standard input" and d["rows"][-1]["input_offset"] == 37'
json out 'd["rows"][-1]["value"] == "0x37"'
twinrun slice --at "$step" --what 'out[37]' --no-addresses --no-control --json run >out
json out '[i["what"].split(":")[1] for i in d["inputs"]] == ["1"]'

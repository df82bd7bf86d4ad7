# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The Enhanced graph: what was done inside of a region that only one run executed, a check that both pass alike, and
# a file between.
needs_recorder
cat >prog.c <<'C'
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
struct size {
  int width;
  int height;
};
static int area(const char *text, struct size *size) {
  if (text[0] == 'd') {
    size->height = 0; /* the fault: the default is 2 */
    size->width = 4;
    int rows = size->height;
    return size->width * rows;
  }
  return (text[0] - '0') * (text[1] - '0');
}
static int scaled(int n) {
  if (n > 90)
    return 30;
  return n / 3;
}
int main(int argc, char **argv) {
  struct size size = {1, 1};
  if (strcmp(argv[1], "area") == 0)
    return area(argv[2], &size);
  if (strcmp(argv[1], "check") == 0)
    return scaled(argv[2][0] - '0');
  char c = 0;
  int input = open(argv[2], O_RDONLY);
  int fd = open("between", O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (read(input, &c, 1) != 1 || write(fd, &c, 1) != 1)
    return 99;
  lseek(fd, 0, SEEK_SET);
  c = 0;
  if (read(fd, &c, 1) != 1)
    return 98;
  return c - 'a';
}
C
musl-gcc -g -O0 -static -o prog prog.c
places() {
  python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
basic = {p["line"] for n in d["graph"]["nodes"] for p in (n["a"], n["b"]) if p and "line" in p}
shown = {s["line"] for s in d["statements"] if "line" in s}
assert (int(sys.argv[2]) in basic, int(sys.argv[2]) in shown) == (sys.argv[3] == "basic", True), (basic, shown)' "$@"
}
status 1 twinrun why --json './prog area 43' './prog area d' >out 2>/dev/null
places out 13 basic
places out 10 enhanced
status 1 twinrun why --json './prog check 6' './prog check 9' >out 2>/dev/null
places out 20 basic
places out 18 enhanced
echo a >good
echo c >bad
cc -g -O0 -o dynamic prog.c
status 1 twinrun why './dynamic file good' './dynamic file bad' >out 2>/dev/null
has out "They differ because bad, line 1, column 1 has" 'prog.c:31  if (read(input, &c, 1)'
# Regions on request: none of them, or those of chosen nodes.
status 1 twinrun why --json './prog area 43' './prog area d' >all 2>/dev/null
status 1 twinrun why --json --enhance none './prog area 43' './prog area d' >none 2>/dev/null
python3 -c 'import json
lines = lambda name: {s["line"] for s in json.load(open(name))["statements"] if "line" in s}
assert 10 in lines("all") and 10 not in lines("none"), (lines("all"), lines("none"))
d = json.load(open("all"))
open("region", "w").write(next(n["id"] for n in d["graph"]["nodes"] if n["kind"] == "unaligned" and n["id"] != "N0"))'
status 1 twinrun why --json --enhance "$(cat region)" './prog area 43' './prog area d' >one 2>/dev/null
python3 -c 'import json
assert 10 in {s["line"] for s in json.load(open("one"))["statements"] if "line" in s}'
status 2 twinrun why --enhance N0 './prog area 43' './prog area d' 2>err
has err "error[A006]: N0 is no region that only one of the runs executed"
status 2 twinrun why --enhance X3 './prog area 43' './prog area d' 2>err
has err "error[C003]: --enhance: 'X3' is neither all, none nor a list of nodes"

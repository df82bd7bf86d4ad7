# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Allocations by place, with what is left at the end; an allocator of the program's own by a flag.
needs_recorder
cat >prog.c <<'C'
#include <stdlib.h>
static char pool[4096];
static int used;
__attribute__((noinline)) void *pool_get(int n) { used += n; return pool + used - n; }
int main(void) {
  void *volatile p[10];
  for (int i = 0; i < 10; ++i) p[i] = malloc(100);
  for (int i = 0; i < 7; ++i) free(p[i]);
  p[0] = calloc(3, 50);
  p[1] = pool_get(64);
  return p[0] == 0;
}
C
gcc -g -O1 -fno-builtin -o prog prog.c
twinrun record -q -o run -- ./prog
twinrun calls --allocations run >out
has out "11 allocations of 1.1 KiB" "at the end 4 of 450 B are left" "malloc  prog.c:7 main" "calloc  prog.c:9 main"
twinrun calls --allocations --json run >out.json
json out.json 'd["schema"] == "twinrun.allocations.v1" and d["count"] == 11 and d["live_bytes"] == 450'
json out.json 'len([r for r in d["rows"] if r["freed"]]) == 7 and all(int(r["address"], 16) % 16 == 0 for r in d["rows"])'
twinrun calls --allocator pool_get:1 run >out
has out "12 allocations" "pool_get  prog.c:10 main"
status 2 twinrun calls --allocator pool_get:9 run 2>err
has err "C003" "NAME:SIZE"
twinrun record -q --force --control-flow-only -o run -- ./prog
status 2 twinrun calls --allocations run 2>err
has err "V001"

# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What is computed and what is logged adds up, and known operations are counted exactly.
needs_recorder
cat >prog.c <<'C'
#include <math.h>
int main(int argc, char **argv) {
  (void)argv;
  unsigned h = argc;
  long double x = argc;
  for (int i = 0; i < 1000; i++) __asm__ volatile("addl $7, %0" : "+r"(h));
  for (int i = 0; i < 100; i++) __asm__ volatile("fsin" : "+t"(x));
  return h == 1;
}
C
cc -O1 -o prog prog.c
twinrun record -o run -- ./prog
twinrun info --operations run >out
has out "KIND" "integer" "flags" "vector integer" "floating point" "helper calls"
twinrun info --operations --json run >operations.json
json operations.json 'd["schema"] == "twinrun.info.operations.v1"'
json operations.json 'all(k["executed"] == k["computed"] + k["logged"] + k["unneeded"] for k in d["kinds"])'
json operations.json '[o["count"] for o in d["logged"] if o["operation"] == "SinF64"] == [100]'
json operations.json '[k["computed"] >= 1000 for k in d["kinds"] if k["kind"] == "integer"] == [True]'
twinrun record --control-flow-only -o flow -- ./prog
not twinrun info --operations flow 2>err
has err "V001"

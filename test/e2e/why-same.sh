# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Runs that do not differ, or only for reasons that tell nothing.
needs_recorder
cat >prog.c <<'C'
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "pid") == 0) printf("I am %ld\n", (long)getpid());
  puts("done");
  return 0;
}
C
cc -g -O0 -o prog prog.c
status 0 twinrun why './prog' './prog' >out 2>/dev/null
has out "No difference"
status 0 twinrun why --json @1 @ >json
json json 'd["result"] == "same" and d["target"] is None'
# The number of the process: a difference, but with a remark.
status 1 twinrun why './prog pid' './prog pid' >out 2>/dev/null
has out "note: standard output, byte" "time, process numbers or random bytes"
# Trouble has its own status, and another one for git bisect.
status 2 twinrun why nothing @
status 125 twinrun why --bisect nothing @
status 2 twinrun why './prog' 'cat /dev/null' 2>err
has err "A001"

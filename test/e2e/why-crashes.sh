# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Crashes have a target of their own: a bad address, an assertion in the C library, a full stack.
needs_recorder
cat >prog.c <<'C'
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node { int value; struct node *next; };
static struct node second = {2, NULL};
static struct node first = {1, &second};
static int nth(int n) {
  struct node *at = &first;
  while (n-- > 0) at = at->next;
  return at->value;
}
static int depth(int n) {
  volatile char room[65536];
  room[0] = (char)n;
  return n == 3 ? room[0] : depth(n + 1) + room[0];
}
int main(int argc, char **argv) {
  int n = atoi(argv[2]);
  switch (argv[1][0]) {
    case 'n': printf("%d\n", nth(n)); break;
    case 'a': assert(n < 5); break;
    case 'd': printf("%d\n", depth(n)); break;
    case 'f': { char *p = malloc(8); free(p); if (n > 1) free(p); break; }
  }
  return 0;
}
C
cc -g -O0 -o prog prog.c
# A small C library where the library does not matter: the system's takes most of the time to look at.
musl-gcc -g -O0 -static -o small prog.c
# A null pointer: its value is what differs, and the branch that loads it one time more.
status 1 twinrun why './small n 1' './small n 2' >out 2>/dev/null
tells out "D1  end of the program  exit status 0 | killed by SIGSEGV" "prog.c:10" "argv[2]"
# abort() inside the C library: the assertion's line.
status 1 twinrun why './prog a 4' './prog a 7' >out 2>/dev/null
tells out "killed by SIGABRT" "prog.c:22  case 'a': assert(n < 5); break;" "n = 4 | 7" "argv[2]"
# A double free, found by the C library.
status 1 twinrun why './prog f 1' './prog f 2' >out 2>/dev/null
tells out "killed by SIGABRT" "prog.c:24" "n = 1 | 2"
# A recursion without an end.
status 1 twinrun why './small d 0' './small d 4' >out 2>/dev/null
tells out "killed by SIGSEGV" "prog.c:16" "n = 3 | 7"
# The other way round: the first run is the one that crashes.
status 1 twinrun why './small n 2' './small n 1' >out 2>/dev/null
has out "killed by SIGSEGV | exit status 0" "prog.c:10"

// SPDX-License-Identifier: MIT
// setjmp and longjmp, here mark_place and jump_back, and signals.
//@ build small
#define WITH_ARGUMENTS
#include "small.h"

static Place place;
static int x;

KEEP static void dive(int n, int from) {  // @dive
  if (n == from)                          // @there?
    jump_back(place, 5);                  // @back
  if (n > 0)                              // @deeper?
    dive(n - 1, from);                    // @deeper
  x += 1;                                 // @up
}  // @close-dive

// One run comes back normally, the other by jump_back. Behind the join both are aligned.
KEEP static void once(int n) {    // @open
  if (mark_place(place) == 0) {   // @mark
    dive(1, n);                   // @call
    x += 2;                       // @normal
  } else {
    x += 3;  // @caught
  }
  x += 4;  // @after
}  // @close
//@ case: 0 9 / 0 1
//@ = ... open mark call dive there?
//@ ! deeper? deeper dive there? deeper? up close-dive up close-dive normal | back mark caught
//@ = after close run
//@ case: 0 9 / 0 0
//@ = ... open mark call dive there? deeper? deeper dive there?
//@ ! deeper? up close-dive up close-dive normal | back mark caught
//@ = after close run
// From different depth: both come back to one place, from the same call of this function.
//@ case: 0 0 / 0 1
//@ = ... open mark call dive there?
//@ ! deeper? deeper dive there? back | back
//@ = mark caught after close run

// A loop of jumps back: those that both have are aligned.
KEEP static void often(int n) {        // @open
  volatile int left = n;               // @left
  const int got = mark_place(place);   // @mark
  x += got;                            // @got
  if (left-- > 0)                      // @if
    dive(0, 0);                        // @call
  x += 4;                              // @after
}  // @close
//@ case: 1 1 / 1 2
//@ = ... open left mark got if call dive there? back mark got if
//@ ! - | call dive there? back mark got if
//@ = after close run
//@ case: 1 0 / 1 1
//@ = ... open left mark got if
//@ ! - | call dive there? back mark got if
//@ = after close run

// Through frames of the same function: which of them is meant only the stack tells.
KEEP static int layers(int n, int target) {        // @layers
  static Place places[4];
  x += 1;                                          // @begin
  if (mark_place(places[n]) == 0) {                // @mark
    if (n == 0) jump_back(places[target], 1);      // @back
    layers(n - 1, target);                         // @deeper
    x += 2;                                        // @normal
  } else {
    x += 3;  // @caught
  }
  return x;  // @return
}  // @close-layers
KEEP static void recurse(int n) {  // @open
  layers(2, n);                    // @layers?
}  // @close
//@ case: 2 1 / 2 2
//@ = ... open layers? layers begin mark back deeper layers begin mark back deeper layers begin mark back
//@ ! mark caught return close-layers normal | mark caught
//@ = return close-layers close run

KEEP static void handler(int signal) {  // @handler
  if (x > 1)                            // @big?
    x = 7;                              // @seven
  x += signal;                          // @add
}  // @close-handler
KEEP static void raising(int n) {  // @open
  handle(10, handler);             // @set
  x = n;                           // @x
  if (n > 0)                       // @if
    raise_signal(10);              // @raise
  x += 5;                          // @after
}  // @close
//@ case: 3 1 / 3 2
//@ = ... open set x if raise handler big?
//@ ! - | seven
//@ = add close-handler after close run
//@ case: 3 0 / 3 1
//@ = ... open set x if
//@ ! - | raise handler big? add close-handler
//@ = after close run

KEEP static void escape(int signal) {  // @escape
  jump_back(place, signal);            // @back-escape
}
// A fault: an instruction that does not complete is not executed, so the runs part before it.
KEEP static void fault(int n) {                    // @open
  int *volatile at = n ? (int *)8 : &x;            // @at
  handle(11, escape);                              // @set
  if (mark_place(place) == 0) {                    // @mark
    *at = 3;                                       // @write
    x += 2;                                        // @normal
  } else {
    x += 1;  // @caught
  }
  x += 4;  // @after
}  // @close
//@ case: 4 0 / 4 1
//@ = ... open at
//@ ! at | at
//@ = at set mark write
//@ ! write normal | escape back-escape mark caught
//@ = after close run

PUBLIC int run(int argc, char **argv) {  // @run
  static void (*const all[])(int) = {once, often, recurse, raising, fault};
  (void)argc;
  all[argv[1][0] - '0'](argv[2][0] - '0');  // @run
  return x;                                 // @run
}  // @run

// SPDX-License-Identifier: MIT
// Decisions without loops. The first argument selects the function, the second decides.
//@ build small
#define WITH_ARGUMENTS
#include "small.h"

static int x;

KEEP static void one_side(int n) {  // @open
  x = 1;                            // @before
  if (n > 1)                        // @if
    x = 2;                          // @yes
  x = 3;                            // @after
}  // @close
//@ case: 0 1 / 0 2
//@ = ... open before if
//@ ! - | yes
//@ = after close run
//@ case: 0 2 / 0 3
//@ = ... open before if yes after close run
//@ case: 0 2 / 0 0
//@ = ... open before if
//@ ! yes | -
//@ = after close run

KEEP static void two_sides(int n) {  // @open
  if (n > 1) {                       // @if
    x = 2;                           // @yes
    x = 4;                           // @yes2
  } else {
    x = 3;  // @no
  }
  x = 5;  // @after
}  // @close
//@ case: 1 1 / 1 2
//@ = ... open if
//@ ! no | yes yes2
//@ = after close run

KEEP static int early_return(int n) {  // @open
  if (n == 0) return 1;                // @first
  x = 7;                               // @middle
  if (n == 1) return 2;                // @second
  x = 8;                               // @last
  return 3;                            // @return
}  // @close
// `return` puts its value into a register and jumps to the end, which is the post-dominator of all.
//@ case: 2 0 / 2 2
//@ = ... open first
//@ ! first | middle second last return
//@ = close early run
//@ case: 2 1 / 2 2
//@ = ... open first middle second
//@ ! second | last return
//@ = close early run

KEEP static void nested(int n) {  // @open
  if (n & 1) {                    // @outer
    x = 1;                        // @one
    if (n & 2)                    // @inner
      x = 2;                      // @two
    else
      x = 3;  // @three
    x = 4;    // @four
  }
  x = 5;  // @five
}  // @close
//@ case: 3 1 / 3 3
//@ = ... open outer one inner
//@ ! three | two
//@ = four five close run
//@ case: 3 0 / 3 3
//@ = ... open outer
//@ ! - | one inner two four
//@ = five close run

// Both operands of && are predicates, and of both the end of the statement is the post-dominator.
KEEP static void both(int n) {  // @open
  if (n > 1 && n < 4)           // @if
    x = 1;                      // @yes
  x = 2;                        // @after
}  // @close
//@ case: 4 1 / 4 5
//@ = ... open if
//@ ! - | if
//@ = after close run
//@ case: 4 3 / 4 5
//@ = ... open if
//@ ! yes | -
//@ = after close run
//@ case: 4 1 / 4 3
//@ = ... open if
//@ ! - | if yes
//@ = after close run

// The second operand of || is not inside the first: x = 1 can be reached without it. So what is after
// different ways to it is not aligned.
KEEP static void either(int n) {  // @open
  if (n < 1 || n > 4)             // @if
    x = 1;                        // @yes
  x = 2;                          // @after
}  // @close
//@ case: 5 0 / 5 5
//@ = ... open if
//@ ! yes | if yes
//@ = after close run

// Two decisions one after the other: the second is aligned whatever the first was.
KEEP static void sequence(int n) {  // @open
  if (n & 1)                        // @first
    x = 1;                          // @one
  if (n & 2)                        // @second
    x = 2;                          // @two
}  // @close
//@ case: 6 1 / 6 2
//@ = ... open first
//@ ! one | -
//@ = second
//@ ! - | two
//@ = close run

// The callee's code is aligned only when its call is.
KEEP static void leaf(void) {  // @leaf
  x = 9;                       // @work
}  // @leave
KEEP static void calls(int n) {  // @open
  if (n & 1)                     // @if
    leaf();                      // @one
  else
    leaf();  // @two
  leaf();    // @three
}  // @close
//@ case: 7 0 / 7 1
//@ = ... open if
//@ ! two leaf work leave | one leaf work leave one
//@ = three leaf work leave close run

static void early(int n) { early_return(n); }  // @early

PUBLIC int run(int argc, char **argv) {  // @run
  static void (*const all[])(int) = {one_side, two_sides, early, nested, both, either, sequence, calls};
  (void)argc;
  all[argv[1][0] - '0'](argv[2][0] - '0');  // @run
  return x;                                 // @run
}  // @run

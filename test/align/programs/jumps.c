// SPDX-License-Identifier: MIT
// switch, goto and computed goto.
//@ build small
#define WITH_ARGUMENTS
#include "small.h"

static int x;

KEEP static void table(int n) {  // @open
  switch (n) {                   // @switch
    case 0:
      x = 10;  // @0
      break;   // @break
    case 1:
      x = 11;  // @1
      break;   // @break
    case 2:
      x = 12;  // @2
      break;   // @break
    case 3:
      x = 13;  // @3
    // falls through
    case 4:
      x = 14;  // @4
      break;   // @break
    case 5:
      x = 15;  // @5
      break;   // @break
    default:
      x = 16;  // @default
  }
  x = 1;  // @after
}  // @close
//@ case: 0 1 / 0 5
//@ = ... open switch
//@ ! 1 break | 5 break
//@ = after close run
// Two ways to one case: it is inside different outcomes.
//@ case: 0 3 / 0 4
//@ = ... open switch
//@ ! 3 4 break | 4 break
//@ = after close run
// The range is tested first; the jump is inside of that.
//@ case: 0 2 / 0 9
//@ = ... open switch
//@ ! switch 2 break | default
//@ = after close run

KEEP static void chain(int n) {  // @open
  switch (n) {                   // @switch
    case 1:
      x = 11;  // @1
      break;   // @break
    case 7:
      x = 12;  // @7
      break;   // @break
  }
  x = 1;  // @after
}  // @close
//@ case: 1 1 / 1 7
//@ = ... open switch
//@ ! 1 break | switch 7 break
//@ = after close run
//@ case: 1 7 / 1 8
//@ = ... open switch
//@ ! 7 break | switch
//@ = after close run

KEEP static void forward(int n) {  // @open
  if (n > 0)                       // @if
    goto over;                     // @goto
  x = 1;                           // @skipped
over:
  x = 2;  // @over
}  // @close
//@ case: 2 0 / 2 1
//@ = ... open if
//@ ! skipped | goto
//@ = over close run

KEEP static void backward(int n) {  // @open
again:
  x += n;         // @body
  if (n-- > 0)    // @if
    goto again;   // @goto
  x = 2;          // @after
}  // @close
//@ case: 3 0 / 3 2
//@ = ... open body if
//@ ! - | goto body if goto body if
//@ = after close run

// A loop with two entries. Its rounds are those of the predicate at its end, so that the first ones
// are aligned behind the entry only when they entered alike.
KEEP static void two_entries(int n) {  // @open
  if (n & 1)                           // @if
    goto middle;                       // @goto
top:       // @label
  x += 1;  // @top
middle:
  x += 2;              // @middle
  if ((n -= 2) > 0)    // @while
    goto top;          // @again
  x = 3;               // @after
}  // @close
//@ case: 4 1 / 4 2
//@ = ... open if
//@ ! goto | label top
//@ = middle while after close run
//@ case: 4 4 / 4 3
//@ = ... open if
//@ ! label top | goto
//@ = middle while again top middle while after close run

// All its jumps are one instruction at the end.
KEEP static void computed(const char *program) {  // @open
  static void *const labels[] = {&&end, &&one, &&two};
  goto *labels[*program - '0'];  // @goto
one:
  x += 1;                          // @one
  goto *labels[*++program - '0'];  // @next
two:
  x += 2;                          // @two
  goto *labels[*++program - '0'];  // @next
end:
  x = 3;  // @end
}  // @close
//@ case: 5 10 / 5 120
//@ = ... open goto next one next
//@ ! - | two next
//@ = end close computed run
// A jump table by hand has no cases that are known beforehand: what either run does counts.
//@ case: 5 110 / 5 20
//@ = ... open goto next
//@ ! one next one next | two next
//@ = end close computed run

static const char *program;
static void interpret(int n) { computed(program); }  // @computed

PUBLIC int run(int argc, char **argv) {  // @run
  static void (*const all[])(int) = {table, chain, forward, backward, two_entries, interpret};
  (void)argc;
  program = argv[2];                        // @run
  all[argv[1][0] - '0'](argv[2][0] - '0');  // @run
  return x;                                 // @run
}  // @run

// SPDX-License-Identifier: MIT
// Handlers of signals on a stack of their own (sigaltstack): below them are the frames that the
// signal has interrupted, wherever their stack lies.
//@ build small
#define WITH_ARGUMENTS
#include "small.h"

static Place place;
static char other_stack[16384];
static int x, how;

KEEP static void helper(int n) {  // @helper
  if (n > 1)                      // @big?
    x = 7;                        // @seven
  x += n;                         // @add
}  // @close-helper

KEEP static void handler(int signal) {  // @handler
  helper(how);                          // @help
  x += signal;                          // @signal
}  // @close-handler

KEEP static void use_stack(int signal, void (*handler)(int)) {  // @use
  const struct {
    void *start;
    int flags;
    unsigned long size;
  } stack = {other_stack, 0, sizeof other_stack};  // @stack
  kernel(131, (long)&stack, 0, 0, 0);              // @tell
  handle_with(signal, handler, 0x08000000);        // @set
}  // @close-use

KEEP static void inner(int n) {  // @inner
  x = n;                         // @x
  if (n > 0)                     // @raise?
    raise_signal(10);            // @raise
  x += 5;                        // @after
}  // @close-inner

KEEP static void raising(int n) {  // @open
  use_stack(10, handler);          // @call-use
  how = n;                         // @how
  inner(n);                        // @call
  x += 6;                          // @behind
}  // @close
//@ case: 0 1 / 0 2
//@ = ... open call-use use stack tell set close-use how call inner x raise? raise handler help helper big?
//@ ! - | seven
//@ = add close-helper signal close-handler after close-inner behind close run
//@ case: 0 0 / 0 1
//@ = ... open call-use use stack tell set close-use how call inner x raise?
//@ ! - | raise handler help helper big? add close-helper signal close-handler
//@ = after close-inner behind close run

// The handler interrupts another one, on the same stack.
KEEP static void second(int signal) {  // @second
  if (how > 1)                         // @more?
    x += 50;                           // @fifty
  x += signal;                         // @signal2
}  // @close-second
KEEP static void first(int signal) {  // @first
  x += signal;                        // @signal1
  if (how > 0)                        // @again?
    raise_signal(12);                 // @raise2
  x += 60;                            // @sixty
}  // @close-first
KEEP static void nesting(int n) {  // @open
  use_stack(10, first);            // @call-use
  use_stack(12, second);           // @call-use2
  how = n;                         // @how
  raise_signal(10);                // @raise1
  x += 6;                          // @behind
}  // @close
//@ case: 1 1 / 1 2
//@ = ... open call-use use stack tell set close-use call-use2 use stack tell set close-use how raise1 first signal1 again? raise2 second more?
//@ ! - | fifty
//@ = signal2 close-second sixty close-first behind close run
//@ case: 1 0 / 1 1
//@ = ... open call-use use stack tell set close-use call-use2 use stack tell set close-use how raise1 first signal1 again?
//@ ! - | raise2 second more? signal2 close-second
//@ = sixty close-first behind close run

// Out of the handler, and off its stack.
KEEP static void leave(int signal) {  // @leave
  if (how > 1)                        // @jump?
    jump_back(place, signal);         // @back
  x += 50;                            // @stay
}  // @close-leave
KEEP static void leaving(int n) {  // @open
  use_stack(10, leave);            // @call-use
  how = n;                         // @how
  if (mark_place(place) == 0) {    // @mark
    inner(1);                      // @call
    x += 2;                        // @normal
  } else {
    x += 3;  // @caught
  }
  x += 4;  // @meet
}  // @close
//@ case: 2 1 / 2 2
//@ = ... open call-use use stack tell set close-use how mark call inner x raise? raise leave jump?
//@ ! stay close-leave after close-inner normal | back mark caught
//@ = meet close run

PUBLIC int run(int argc, char **argv) {  // @run
  static void (*const all[])(int) = {raising, nesting, leaving};
  (void)argc;
  all[argv[1][0] - '0'](argv[2][0] - '0');  // @run
  return x;                                 // @run
}  // @run

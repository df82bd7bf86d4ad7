// SPDX-License-Identifier: MIT
// Functions of a shared library are looked for at their first call. A call that is the first one in
// one run only is aligned with its code, and the search is what the other run has not.
//@ build dynamic
#include <stdlib.h>

static int x;

// With optimization a jump to the stub.
__attribute__((noinline)) static int tail(void) {  // @tail
  return rand();                                   // @jump
}  // @close-tail
__attribute__((noinline)) static void early(int n) {  // @early
  if (n)                                              // @if
    x += tail() + (int)strtol("3", 0, 10);            // @first
}  // @close-early
__attribute__((noinline)) static void late(void) {  // @late
  x += (int)strtol("4", 0, 10);                     // @call
  x += tail();                                      // @call-tail
}  // @close-late

int main(int argc, char **argv) {  // @main
  early(argv[1][0] - '0');         // @main
  late();                          // @main
  x += argc;                       // @main
  return 0;                        // @main
}  // @main
//@ case: 0 / 1
//@ = ... main early if
//@ ! - | first tail jump close-tail first
//@ = close-early main late call call-tail tail jump close-tail call-tail close-late main
//@ case: 1 / 1
//@ = ... main early if first tail jump close-tail first close-early main late call call-tail tail jump close-tail call-tail close-late main
//@ functions: 0 / 1
//@ = main early
//@ ! - | tail
//@ = late tail

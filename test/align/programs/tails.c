// SPDX-License-Identifier: MIT
// At -O2 the last call of a function is a jump: functions that run in place of the one that was called.
//@ build small
#define WITH_ARGUMENTS
#include "small.h"

static volatile int x;

PUBLIC int add(int n) { return x += n; }       // @add
PUBLIC int subtract(int n) { return x -= n; }  // @subtract

// One of two tail calls, and behind it the caller goes on.
PUBLIC int either(int n) {      // @either
  x = 1;                        // @one
  if (n > 1) return add(n);     // @if
  x = 2;                        // @two
  return subtract(n);           // @last
}  // @close
PUBLIC int first(int n) {       // @first
  const int got = either(n);    // @call
  return got + add(1) * 2;      // @more
}  // @close
//@ functions: 0 1 / 0 2
//@ = run first either
//@ ! subtract | add
//@ = add
//@ functions: 0 2 / 0 3
//@ = run first either add add

// Chains of different length: what they have in common from the start is aligned.
PUBLIC int third(int n) { return add(n + 3); }  // @third
PUBLIC int second(int n) {                      // @second
  x = 3;                                        // @three
  if (n == 1) return subtract(n);               // @if
  return third(n);                              // @last
}  // @close
PUBLIC int chain(int n) {          // @chain
  x = n;                           // @n
  return second(n);                // @last
}  // @close
PUBLIC int start(int n) {              // @start
  return chain(n) * 3 + subtract(n);   // @call
}  // @close
//@ functions: 1 1 / 1 2
//@ = run start chain second
//@ ! subtract | third add
//@ = subtract

// Functions that jump to each other go round in a loop without calls.
PUBLIC int pong(int n);
PUBLIC int ping(int n) {      // @ping
  x += 1;                     // @one
  if (n == 0) return add(7);  // @if
  return pong(n - 1);         // @last
}  // @close
PUBLIC int pong(int n) {  // @pong
  x += 2;                 // @two
  return ping(n);         // @last
}  // @close
PUBLIC int play(int n) {       // @play
  return ping(n) + subtract(1);  // @call
}  // @close
//@ functions: 2 1 / 2 2
//@ = run play ping pong ping
//@ ! add | pong ping add
//@ = subtract
//@ functions: 2 2 / 2 2
//@ = run play ping pong ping pong ping add subtract

// A jump that different rounds of a loop come to. The loop is over when its function is left.
PUBLIC int rounds(int n) {    // @rounds
  x = n;                      // @set
  do {
    if (x == 99) return 1;    // @if
    x += n;                   // @n
  } while (--n > 0);          // @while
  return add(x);              // @last
}  // @close
PUBLIC int around(int n) {          // @around
  return rounds(n) + subtract(1);   // @call
}  // @close
//@ functions: 3 1 / 3 2
//@ = run around rounds add subtract

PUBLIC int run(int argc, char **argv) {  // @run
  static int (*const all[])(int) = {first, start, play, around};
  (void)argc;
  x = all[argv[1][0] - '0'](argv[2][0] - '0');  // @call
  return x;                                     // @return
}  // @close

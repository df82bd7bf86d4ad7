// SPDX-License-Identifier: MIT
// Coroutines by swapcontext: each has a stack of its own, and an index that goes on where it waited.
//@ build library
#include <stdlib.h>
#include <ucontext.h>

#define KEEP __attribute__((noinline))

static ucontext_t outside, inside[2];
static int x, odd;

KEEP static void deeper(int which) {           // @deeper
  x += 2;                                      // @two
  swapcontext(&inside[which], &outside);       // @yield
  x += 3;                                      // @three
}  // @close-deeper

KEEP static void hundred(void) {  // @hundred
  x += 100;                       // @plus
}  // @close-hundred
KEEP static void decide(int which, int i) {  // @decide
  if (which == 1 && i == odd)                // @odd?
    hundred();                               // @odd
}  // @close-decide

// Yields in a function that it calls.
static void body(int which) {    // @body
  for (int i = 0; i < 3; i++) {  // @for
    decide(which, i);            // @ask
    deeper(which);               // @call
  }
  swapcontext(&inside[which], &outside);  // @last
}

KEEP static void resume(int which) {      // @resume
  swapcontext(&outside, &inside[which]);  // @switch
  x += 1;                                 // @back
}  // @close-resume

static void make(int which) {                          // @make
  getcontext(&inside[which]);                          // @get
  inside[which].uc_stack.ss_sp = malloc(65536);        // @space
  inside[which].uc_stack.ss_size = 65536;              // @size
  makecontext(&inside[which], (void (*)(void))body, 1, which);  // @context
}  // @close-make

int main(int argc, char **argv) {          // @main
  const int rounds = argv[1][0] - '0';     // @rounds
  odd = argv[1][1] - '0';                  // @set
  make(0);                                 // @make0
  make(1);                                 // @make1
  for (int i = 0; i < rounds; i++) {       // @while
    resume(0);                             // @resume0
    resume(1);                             // @resume1
  }
  return argc == 9 ? x : 0;  // @end
}  // @close
// A branch of the second one.
//@ case: 29 / 21
//@ = ... make1 make get space size context close-make while resume0 resume switch body for ask decide odd? close-decide call deeper two yield back close-resume resume1 resume switch body for ask decide odd? close-decide call deeper two yield back close-resume while resume0 resume switch three close-deeper for ask decide odd? close-decide call deeper two yield back close-resume resume1 resume switch three close-deeper for ask decide odd?
//@ ! - | odd hundred plus close-hundred
//@ = close-decide call deeper two yield back close-resume while end close
// Both go on once more; what they wait in is the other run's, too.
//@ case: 19 / 29
//@ = ... make1 make get space size context close-make while resume0 resume switch body for ask decide odd? close-decide call deeper two yield back close-resume resume1 resume switch body for ask decide odd? close-decide call deeper two yield back close-resume while
//@ ! - | resume0 resume switch three close-deeper for ask decide odd? close-decide call deeper two yield back close-resume resume1 resume switch three close-deeper for ask decide odd? close-decide call deeper two yield back close-resume while
//@ = end close
//@ functions: 29 / 21
//@ = main make make resume body decide deeper resume body decide deeper resume decide deeper resume decide
//@ ! - | hundred
//@ = deeper

// SPDX-License-Identifier: MIT
// C++ exceptions: caught by the caller, two frames up with a destructor on the way, and rethrown.
//@ build c++
#define KEEP __attribute__((noinline))

static int x;

struct Guard {
  KEEP ~Guard() {  // @guard
    x += 100;      // @clean
  }  // @close-guard
};

KEEP static int thrower(int n) {  // @thrower
  if (n == 1)                     // @throw?
    throw n;                      // @throw
  return n + 1;                   // @return
}  // @close-thrower

KEEP static void direct(int n) {  // @open
  try {  // @try
    x = thrower(n);  // @call
    x += 1;          // @normal
  } catch (int) {    // @catch
    x = 2;           // @caught
  }  // @end-catch
  x += 3;  // @after
}  // @close
//@ case: 0 0 / 0 1
//@ = ... open call thrower throw?
//@ ! return close-thrower call normal | throw catch caught end-catch
//@ = after close main
//@ case: 0 1 / 0 1
//@ = ... open call thrower throw? throw catch caught end-catch after close main

KEEP static int middle(int n) {  // @middle
  Guard guard;                   // @guarded
  const int got = thrower(n);    // @pass
  return got * 2;                // @return-middle
}  // @close-middle
KEEP static void above(int n) {  // @open
  try {  // @try
    x = middle(n);  // @call
    x += 1;         // @normal
  } catch (int) {   // @catch
    x = 2;          // @caught
  }  // @end-catch
  x += 3;  // @after
}  // @close
//@ case: 1 0 / 1 1
//@ = ... open call middle pass thrower throw?
//@ ! return close-thrower pass return-middle close-middle guard clean close-guard return-middle close-middle call normal | throw close-middle guard clean close-guard close-middle catch caught end-catch
//@ = after close main

// Through several frames of one function. From another depth it is still the same call that does
// not return, so both are caught alike.
KEEP static int dive(int n, int from) {  // @dive
  if (n == from)                         // @there?
    throw n;                             // @throw-dive
  x += 1;                                // @down
  return n == 0 ? 0 : dive(n - 1, from);  // @deeper
}  // @close-dive
KEEP static void deep(int n) {  // @open
  try {  // @try
    x += dive(2, n);  // @call
    x += 1;           // @normal
  } catch (int) {     // @catch
    x = 2;            // @caught
  }  // @end-catch
  x += 3;  // @after
}  // @close
//@ case: 2 9 / 2 0
//@ = ... open call dive there? down deeper dive there? down deeper dive there?
//@ ! down deeper close-dive deeper close-dive deeper close-dive call normal | throw-dive catch caught end-catch
//@ = after close main
//@ case: 2 1 / 2 2
//@ = ... open call dive there?
//@ ! down deeper dive there? throw-dive | throw-dive
//@ = catch caught end-catch after close main

// Caught on the way, and thrown again in one of the runs.
KEEP static void again(int n) {  // @again
  try {  // @try
    thrower(1);      // @call-again
  } catch (int) {    // @catch-again
    if (n > 0)       // @again?
      throw;         // @rethrow
    x += 5;          // @handled
  }  // @end-again
  x += 6;  // @after-again
}  // @close-again
KEEP static void rethrown(int n) {  // @open
  try {  // @try
    again(n);      // @call
    x += 1;        // @normal
  } catch (int) {  // @catch
    x = 2;         // @caught
  }  // @end-catch
  x += 3;  // @after
}  // @close
//@ case: 3 0 / 3 1
//@ = ... open call again call-again thrower throw? throw catch-again again?
//@ ! handled end-again after-again close-again normal | rethrow end-again catch caught end-catch
//@ = after close main

int main(int argc, char **argv) {  // @main
  void (*const all[])(int) = {direct, above, deep, rethrown};  // @main
  all[argv[1][0] - '0'](argv[2][0] - '0');     // @main
  return argc == 9 ? x : 0;                    // @main
}  // @main

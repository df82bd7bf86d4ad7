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

int main(int argc, char **argv) {  // @main
  void (*const all[])(int) = {direct, above};  // @main
  all[argv[1][0] - '0'](argv[2][0] - '0');     // @main
  return argc == 9 ? x : 0;                    // @main
}  // @main

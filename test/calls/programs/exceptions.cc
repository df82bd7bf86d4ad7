// SPDX-License-Identifier: MIT
// Exceptions through several frames, with clean-ups on the way; see structure.c.
#include <cstdio>
#include <stdexcept>
#include <unistd.h>

#define PLAIN __attribute__((no_instrument_function))
#define KEEP __attribute__((noinline))

static int depth;
PLAIN static void tell(const char* what, void* function) {
  char line[64];
  const int n = snprintf(line, sizeof line, "%s 0 %d %p\n", what, depth, function);
  if (write(1, line, static_cast<size_t>(n)) != n) _exit(99);
}
extern "C" {
PLAIN void __cyg_profile_func_enter(void* function, void*) { tell("enter", function), ++depth; }
PLAIN void __cyg_profile_func_exit(void* function, void*) { --depth, tell("leave", function); }
}

static volatile int sink;
KEEP static int leaf(int x) { return sink = x; }
struct Guard {
  KEEP explicit Guard(int n) : number(n) { leaf(n); }
  KEEP ~Guard() { leaf(-number); }
  int number;
};
KEEP static void thrower(int n) {
  const Guard guard(n);
  if (n == 0) throw std::runtime_error("bottom");
  thrower(n - 1);
  leaf(1000);
}
KEEP static void rethrower(int n) {
  try {
    thrower(n);
  } catch (const std::runtime_error&) {
    leaf(7);
    throw;
  }
}
KEEP static int catcher(int n) {
  try {
    rethrower(n);
  } catch (const std::exception&) {
    return leaf(8);
  }
  return 0;
}

int main() {
  for (int i = 0; i < 3; ++i) catcher(i);
  try {
    Guard outer(50);
    catcher(2);
    thrower(1);
  } catch (...) {
    leaf(9);
  }
  return leaf(0);
}

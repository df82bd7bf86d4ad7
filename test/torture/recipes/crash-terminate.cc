// SPDX-License-Identifier: MIT
// An exception that nobody catches: std::terminate and SIGABRT.
#include <sys/resource.h>
#include <stdexcept>
int main() {
  rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  throw std::logic_error("nobody catches this");
}
